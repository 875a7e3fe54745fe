import { stringify } from 'yaml';
import type { RunConfig } from './run-config.js';
import { sections } from './schema/index.js';

/** The config as a YAML text that loads to the same config. Unset keys are left out, and `batch_size`, which follows. */
export function resolvedYaml(config: RunConfig): string {
  const values = config as unknown as Record<string, unknown>;
  return sections
    .map(({ title, keys }) => {
      const written = Object.keys(keys).filter((key) => key !== 'batch_size' && (values[key] ?? null) !== null);
      if (written.length === 0) return '';
      const entries = Object.fromEntries(written.map((key) => [key, withoutNulls(key, values[key])]));
      return `# ${title}\n${stringify(entries, { lineWidth: 0 })}`;
    })
    .filter((part) => part !== '')
    .join('\n');
}

/** Null in a config means unset, except inside mappings that are handed on as they are. */
function withoutNulls(key: string, value: unknown): unknown {
  if (key === 'model_config' || key === 'chat_template_kwargs') return value;
  if (Array.isArray(value)) return value.map((item) => withoutNulls('', item));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutNulls('', item)]));
}

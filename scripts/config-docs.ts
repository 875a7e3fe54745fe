// Writes docs/config.md from the config schema: node --import tsx scripts/config-docs.ts
import { writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { configSchema } from '../src/config/index.js';
import { sections } from '../src/config/schema/index.js';

type Node = Readonly<Record<string, unknown>>;

const intro = `# Config keys

Generated from the schema by \`scripts/config-docs.ts\`; \`anneal config-schema\` prints the same as JSON Schema.

- A run is described by one YAML file. The names are Axolotl's; keys that are anneal's own say so.
- A key that is not listed here is an error, with the nearest name. An empty value (\`key:\` or \`null\`) leaves a key unset.
- Relative paths of models, data, rewards and templates are looked up in the working directory, then beside the YAML file.
  \`output_dir\` is relative to the working directory.
- Any key can be set on the command line, where it wins over the file: \`--learning-rate 1e-4\`, \`--trl.beta=0.1\`,
  \`--datasets.0.path=rows.jsonl\`, \`--lora-target-modules q_proj,v_proj\`, \`--sample-packing\` and \`--no-sample-packing\`;
  \`--adapter null\` unsets one.
`;

function variants(node: Node): Node[] {
  return ((node.anyOf ?? node.oneOf) as Node[] | undefined) ?? [node];
}

function typeName(node: Node): string {
  if (node.const !== undefined) return `\`${String(node.const)}\``;
  if (Array.isArray(node.enum)) return node.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (node.anyOf !== undefined || node.oneOf !== undefined) {
    const names = variants(node)
      .filter((variant) => variant.type !== 'null')
      .map(typeName);
    return [...new Set(names)].join(' or ');
  }
  switch (node.type) {
    case 'array':
      return `list of ${typeName(node.items as Node)}`;
    case 'object':
      return 'mapping';
    case 'integer':
      return 'whole number';
    case 'string':
      return 'text';
    case 'boolean':
      return 'true or false';
    default:
      return String(node.type ?? 'anything');
  }
}

function defaultText(node: Node, required: boolean): string {
  if (required) return '**required**';
  if (node.default === undefined || node.default === null) return '–';
  if (typeof node.default === 'object' && Object.keys(node.default).length === 0) return '–';
  return `\`${JSON.stringify(node.default).replaceAll('"', '')}\``;
}

function table(properties: Readonly<Record<string, Node>>, required: readonly string[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const rows = Object.entries(properties).map(([key, node]) =>
    [`\`${key}\``, typeName(node), defaultText(node, required.includes(key)), String(node.description ?? '')].map(cell),
  );
  return [
    '| key | type | default | meaning |',
    '| --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
}

/** Tables of the mappings below a key: one for a block, one for each kind of list entry. */
function blocks(key: string, node: Node): string[] {
  return variants(node).flatMap((variant) => {
    if (variant.type === 'array') {
      const entries = variants(variant.items as Node).filter((entry) => entry.properties !== undefined);
      return entries.map((entry) => {
        const properties = entry.properties as Record<string, Node>;
        const tag = String(properties.type?.const ?? '');
        return `### Entries of \`${key}\`: \`type: ${tag}\`\n\n${properties.type?.description ?? ''}\n\n${table(
          Object.fromEntries(Object.entries(properties).filter(([name]) => name !== 'type')),
          (entry.required as string[]) ?? [],
        )}`;
      });
    }
    if (variant.properties === undefined) return [];
    return [
      `### \`${key}\`\n\n${table(variant.properties as Record<string, Node>, (variant.required as string[]) ?? [])}`,
    ];
  });
}

/** The text of docs/config.md. */
export function renderConfigDocs(): string {
  const root = configSchema();
  const properties = root.properties as Record<string, Node>;
  const required = root.required as string[];
  const parts = sections.map(({ title, keys }) => {
    const own = Object.fromEntries(Object.keys(keys).map((key) => [key, properties[key]!]));
    // test_datasets takes the same entries as datasets.
    const below = Object.entries(own).flatMap(([key, node]) => (key === 'test_datasets' ? [] : blocks(key, node)));
    return [`## ${title}`, table(own, required), ...below].join('\n\n');
  });
  return `${intro}\n${parts.join('\n\n')}\n`;
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  writeFileSync(fileURLToPath(new URL('../docs/config.md', import.meta.url)), renderConfigDocs());
}

import { z } from 'zod';
import { didYouMean } from '../../config/index.js';
import type { Environment, EpisodeSpec, ToolSpec } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import type { Sandbox } from '../sandbox/types.js';
import { type Launched, launch, trustedPython } from '../verify/launch.js';
import { moduleText } from '../verify/module-text.js';
import { describeRun } from './observe.js';
import type { Action } from './types.js';

interface Acted {
  readonly observation: string;
  /** Whether the step's time ran out. */
  readonly outOfTime: boolean;
}

/** The kernel refuses longer arguments. */
const MAX_ACTION_BYTES = 100_000;

interface ActOptions {
  readonly outputKb: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Carries an action out in the work directory. One that cannot be carried out is answered by an observation that says why.
 * @throws SandboxError when the sandbox failed
 */
export async function act(
  sandbox: Sandbox,
  spec: EpisodeSpec,
  tools: readonly Tool[],
  action: Exclude<Action, { type: 'finish' }>,
  options: ActOptions,
): Promise<Acted> {
  const planned = plan(spec, tools, action);
  if ('refused' in planned) return { observation: planned.refused, outOfTime: false };
  const launched: Launched = await launch(sandbox, {
    ...planned,
    seconds: spec.stepSeconds,
    outputKb: options.outputKb,
    signal: options.signal,
  });
  return { observation: describeRun(launched), outOfTime: launched.killedBy === 'time' };
}

type Plan = { readonly command: readonly string[]; readonly stdin: string } | { readonly refused: string };

function plan(spec: EpisodeSpec, tools: readonly Tool[], action: Exclude<Action, { type: 'finish' }>): Plan {
  if (!spec.actions.includes(action.type)) {
    return {
      refused: `[there are no actions of the type ${JSON.stringify(action.type)} here; there are ${spec.actions.join(', ')}, finish]`,
    };
  }
  if (action.type === 'tool') return planTool(tools, action.name, action.arguments);
  if (typeof action.content !== 'string') return { refused: '[the content of an action is a text]' };
  if (Buffer.byteLength(action.content) > MAX_ACTION_BYTES) {
    return { refused: `[an action may have ${MAX_ACTION_BYTES} bytes; write long files in pieces]` };
  }
  if (action.content.includes('\0')) return { refused: '[an action cannot hold a NUL character]' };
  return { command: [action.type === 'bash' ? 'bash' : 'python3', '-c', action.content], stdin: '' };
}

function planTool(tools: readonly Tool[], name: string, given: unknown): Plan {
  const tool = tools.find((one) => one.spec.name === name);
  if (tool === undefined) {
    const names = tools.map((one) => one.spec.name);
    return {
      refused: `[there is no tool ${JSON.stringify(name)}${didYouMean(String(name), names)}; there are ${names.join(', ')}]`,
    };
  }
  const checked = tool.schema.safeParse(given ?? {});
  if (!checked.success) {
    const problems = checked.error.issues.map(({ path, message }) =>
      [path.join('.'), message].filter(Boolean).join(': '),
    );
    return { refused: `[arguments of ${name}: ${problems.join('; ')}]` };
  }
  return { command: toolCommand(tool.spec), stdin: JSON.stringify(given ?? {}) };
}

/** A tool with its arguments' schema read. */
interface Tool {
  readonly spec: ToolSpec;
  readonly schema: z.ZodType;
}

/** @throws GymError for a schema that is none, or has what is not supported */
export function readTools({ name, episode }: Environment): readonly Tool[] {
  return (episode?.tools ?? []).map((spec) => {
    try {
      return { spec, schema: z.fromJSONSchema(spec.parameters as z.core.JSONSchema.JSONSchema) };
    } catch (error) {
      throw new GymError(`${name}: the parameters of the tool ${spec.name}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  });
}

/** The tool's text goes along as an argument, and nothing of the work directory is imported: the agent cannot change what a tool does. */
function toolCommand({ source: { text, language } }: ToolSpec): readonly string[] {
  if (language === 'bash') return ['bash', '-c', text];
  const { language: runs, source } = moduleText(text, language);
  return runs === 'python' ? [...trustedPython, '-c', source] : ['node', '--input-type=module', '--eval', source];
}

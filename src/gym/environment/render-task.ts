import { GymError } from '../gym-error.js';
import type { Language } from '../language.js';
import { toPlain, type Value } from '../value.js';
import { functionName, renderSignature } from './signature.js';
import type { CaseSet, Environment, EpisodeSpec } from './types.js';

/**
 * The prompt: what a model is given. The task's text for the variant, the signature where there is one, and how to answer. Cases are never
 * shown; a document's placeholders are filled from its case.
 * @throws GymError when a document's text has a placeholder that its case does not fill
 */
export function renderTask(environment: Environment, cases: CaseSet, language: Language): string {
  const { kind, signature, deepgym, episode } = environment;
  const task = environment.variants[cases.variant]?.task ?? environment.task;
  if (deepgym !== null) return `${task}\n\nAnswer with one fenced python block.`;
  if (kind === 'document')
    return `${fill(environment, task, cases.cases[0]?.input[0])}\n\nAnswer with what is asked for and nothing else.`;
  const parts = [signature === null ? task : withSignature(task, renderSignature(signature, language), language)];
  if (kind === 'function')
    parts.push(`Answer with one fenced ${language} block that defines \`${functionName(signature!, language)}\`.`);
  if (kind === 'script') {
    const entry = environment.script!.entry[language];
    parts.push(
      `Answer with one fenced ${language} block: the whole script. It is run as \`${entry}\` in its work directory.`,
    );
  }
  if (episode !== null) parts.push(describeSteps(episode));
  return parts.join('\n\n');
}

const placeholder = '{{signature}}';

/** The signature at its placeholder, in a fenced block of its own unless it stands in a line or block already; at the end without one. */
function withSignature(task: string, signature: string, language: Language): string {
  const block = `\`\`\`${language}\n${signature}\n\`\`\``;
  if (!task.includes(placeholder)) return `${task}\n\n${block}`;
  let fenced = false;
  const lines = task.split('\n').map((line) => {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    return line.replaceAll(placeholder, () => (line.trim() === placeholder && !fenced ? block : signature));
  });
  return lines.join('\n');
}

function fill({ name }: Environment, task: string, input: Value | undefined): string {
  const values = (input === undefined ? {} : toPlain(input)) as Record<string, unknown>;
  return task.replace(/\{\{\s*([A-Za-z_]\w*)\s*\}\}/g, (_, key: string) => {
    if (!Object.hasOwn(values, key)) throw new GymError(`${name}: the task has {{${key}}}, but its case has no ${key}`);
    const value = values[key];
    return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  });
}

function describeSteps({ maxSteps, stepSeconds, actions, tools, answerFile }: EpisodeSpec): string {
  const kinds = { bash: 'a bash command', python: 'a Python program', tool: 'a call of a tool' };
  const lines = [
    `You work in steps, ${maxSteps} at most. A step is ${actions.map((action) => kinds[action]).join(' or ')}, run in the work directory for ${stepSeconds} seconds at most; you then see what it wrote.`,
    ...tools.map(
      ({ name, description, parameters }) =>
        `- \`${name}\`: ${description} Arguments: \`${JSON.stringify(parameters)}\``,
    ),
  ];
  if (answerFile !== null) lines.push(`At the end the file \`${answerFile}\` is judged.`);
  return lines.join('\n');
}

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { didYouMean, type EnvironmentEntry, type PromptDataset, type RunConfig, UserError } from '../config/index.js';
import type { PromptRow } from '../data/index.js';
import {
  answerOf,
  type CaseSet,
  type Environment,
  type Language,
  languageFor,
  loadEnvironment,
  openGym,
  openTraceStore,
  type RunOptions,
  type TraceStore,
  traceOfRun,
  type Verdict,
} from '../gym/index.js';
import type { Reward } from '../rl/index.js';

/** The environments of a run: what is asked, and who judges the answers. */
export interface OpenEnvironments {
  readonly rows: { readonly train: readonly PromptRow[]; readonly eval: readonly PromptRow[] };
  /** How the rows become prompts. */
  readonly dataset: PromptDataset;
  readonly reward: Reward;
  /** Lines of the plan. */
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly warnings: readonly string[];
  /** What judges: a resumed run must have the same. */
  readonly digest: string;
  /** From now on judged answers are stored, where the config asks for traces. */
  record(): Promise<void>;
  dispose(): Promise<void>;
}

/** One question: an environment with the cases that judge its answers. */
interface Question {
  readonly key: string;
  readonly environment: Environment;
  readonly language: Language;
  readonly cases: CaseSet;
  readonly prompt: string;
  readonly asked: RunOptions & { readonly variant: string };
}

/**
 * Loads the environments of `config` and starts what judges them, so that a missing sandbox shows before anything is trained.
 * null where the config names none.
 */
export async function openEnvironments(config: RunConfig, signal: AbortSignal): Promise<OpenEnvironments | null> {
  const { environments: entries, gym: options } = config;
  if (entries === null || options === null) return null;
  const { sandbox, retries, workers } = options;
  const gym = await openGym({ sandbox, retries, workers: workers ?? availableParallelism() });
  try {
    const capabilities = await gym.capabilities();
    const ask = async (entry: EnvironmentEntry, variant: string | null): Promise<Question> => {
      const environment = await loadEnvironment(entry.name);
      if (environment.kind === 'episode') {
        throw new UserError(
          `environments: ${entry.name} is answered in steps; training takes environments with one answer. openEpisode of anneal/gym runs it.`,
        );
      }
      checkReward(options.reward, environment);
      const language = languageFor(environment, entry.language ?? undefined);
      const asked = { variant: variant ?? environment.defaultVariant, signal, ...(entry.language && { language }) };
      const [cases, prompt] = await Promise.all([gym.cases(environment, asked), gym.task(environment, asked)]);
      const key = `${environment.name}@${asked.variant}${environment.languages.length > 1 ? ` (${language})` : ''}`;
      return { key, environment, language, cases, prompt, asked };
    };
    const train = await Promise.all(entries.map((entry) => ask(entry, entry.variant)));
    const held =
      config.eval_strategy === 'no' ? [] : await Promise.all(entries.map((entry) => ask(entry, entry.eval_variant)));
    const questions = new Map([...train, ...held].map((question) => [question.key, question]));
    let traces: TraceStore | null = null;

    const judge = async (key: string, completion: string): Promise<number | Error> => {
      const { environment, language, cases, prompt, asked } = questions.get(key)!;
      const started = performance.now();
      const verdict = await gym.run(
        environment,
        answerOf(completion, environment.kind === 'document' ? undefined : language),
        asked,
      );
      const totalMs = performance.now() - started;
      const model = config.base_model ?? 'from random weights';
      const source = { environment, cases, language, capabilities, prompt, completion, verdict, model, totalMs };
      await traces?.append(traceOfRun(source));
      return rewardOf(verdict, options.reward);
    };

    return {
      rows: { train: train.map(rowOf), eval: held.map(rowOf) },
      dataset: {
        type: 'prompt',
        path: '',
        field_prompt: 'prompt',
        system_prompt: null,
        apply_chat_template: true,
        chat_template: config.chat_template,
        chat_template_jinja: config.chat_template_jinja,
      },
      reward: {
        name: 'gym',
        source: 'environments',
        weight: options.weight,
        score: (_, completions, { question }) =>
          Promise.all(completions.map((text, i) => judge(question![i] as string, text))),
      },
      facts: [
        ['environments', train.map(({ key }) => key).join(', ')],
        ['sandbox', capabilities.name],
      ],
      warnings: capabilities.isolated
        ? []
        : [`sandbox ${capabilities.name} is not isolated: answers run as ordinary processes of this user`],
      digest: [...questions.values()]
        .map(({ key, environment, cases }) => `${key} ${environment.contentHash} ${cases.hash}`)
        .join('\n'),
      async record() {
        if (options.traces) traces = await openTraceStore(join(config.output_dir, 'traces'));
      },
      dispose: () => gym.dispose(),
    };
  } catch (error) {
    await gym.dispose();
    throw error;
  }
}

function rowOf({ key, environment, language, prompt, asked: { variant } }: Question, at: number): PromptRow {
  return {
    row: { prompt, environment: environment.name, variant, language, question: key },
    origin: { dataset: 0, file: `${environment.name}@${variant}`, line: at + 1 },
  };
}

/** A verdict as a number; an Error where nobody judged the answer, which leaves it out of its group. */
export function rewardOf(verdict: Verdict, part: string): number | Error {
  if (verdict.kind === 'noVerdict') return new Error(`${verdict.cause}: ${verdict.message}`);
  if (part === 'score') return verdict.score;
  if (part === 'passed') return verdict.passed ? 1 : 0;
  const parts = verdict.rewardComponents;
  // A verdict of one part does not name it.
  if (Object.keys(parts).length === 0) return verdict.score;
  return parts[part] ?? 0;
}

function checkReward(part: string, { name, weights }: Environment): void {
  const known = ['score', 'passed', ...Object.keys(weights)];
  if (known.includes(part)) return;
  throw new UserError(
    `gym.reward: the verdicts of ${name} have no ${part}${didYouMean(part, known)}; they have ${known.join(', ')}.`,
  );
}

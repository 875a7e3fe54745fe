import { UserError } from '../../config/index.js';
import {
  type AnswerSource,
  type Estimate,
  type EvaluationReport,
  evaluate,
  folderAnswers,
  openEndpoint,
  sampledAnswers,
} from '../../gym/evaluate/index.js';
import { languages, loadSuite } from '../../gym/index.js';
import { createLimiter } from '../../gym/limiter.js';
import { noPositionals, numberOf, oneOf, readArguments, wholeNumber } from '../arguments.js';
import { judgingOptions, noVerdictExit, sandboxOption, storeTrace, traceStore, withGym } from './judging.js';
import { printable } from './printable.js';
import { table } from './table.js';
import { isolationText, shortScore } from './verdict-text.js';

/** `anneal gym eval`: a suite against a folder of answers, or against a model. Exit code 2 where some answers have no verdict. */
export async function run(args: string[]): Promise<number> {
  try {
    return await evaluateSuite(args);
  } catch (error) {
    return noVerdictExit(error, args.includes('--json'));
  }
}

const options = {
  suite: { type: 'string' },
  'solutions-dir': { type: 'string' },
  'base-url': { type: 'string' },
  model: { type: 'string' },
  'api-key-env': { type: 'string' },
  samples: { type: 'string' },
  k: { type: 'string' },
  temperature: { type: 'string' },
  'max-tokens': { type: 'string' },
  seed: { type: 'string' },
  concurrency: { type: 'string' },
  timeout: { type: 'string' },
  workers: { type: 'string' },
  ...judgingOptions,
} as const;

type Values = ReturnType<typeof readArguments<typeof options>>['values'];

async function evaluateSuite(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('gym eval', args, options);
  noPositionals('gym eval', positionals);
  const { suite, json, variant, traces } = values;
  if (suite === undefined) throw new UserError('anneal gym eval needs --suite NAME, such as all, easy or coin_change');
  const language = oneOf('language', values.language, languages);
  const sandbox = sandboxOption(values.sandbox);
  const workers = wholeNumber('workers', values.workers);
  const source = await sourceOf(values);
  const k = ksOf(values);
  const environments = await loadSuite(suite);
  const store = await traceStore(traces);
  return withGym(sandbox, workers, async (gym, signal) => {
    let judged = 0;
    const report = await evaluate(gym, suite, environments, source, {
      variant,
      language,
      k,
      signal,
      onVerdict: async (question, submitted, verdict) => {
        judged++;
        if (process.stderr.isTTY) process.stderr.write(`\r${judged} answers judged`);
        if (store === null) return;
        const { completion, language: used } = submitted;
        const { environment, variant: asked } = question;
        const judgedOne = { variant: asked, language: used, completion, verdict, model: source.model };
        await storeTrace(store, gym, environment, judgedOne);
      },
    });
    if (process.stderr.isTTY && judged > 0) process.stderr.write('\r\x1b[K');
    if ('unused' in source) warnUnused(source.unused());
    if (json) console.log(JSON.stringify(report));
    else {
      console.log(reportText(report));
      if (judged > report.noVerdict.length) console.log(isolationText(await gym.capabilities(), values.verbose));
    }
    return exitCodeOf(report);
  });
}

async function sourceOf(values: Values): Promise<AnswerSource | Awaited<ReturnType<typeof folderAnswers>>> {
  const directory = values['solutions-dir'];
  const baseUrl = values['base-url'];
  if ((directory === undefined) === (baseUrl === undefined)) {
    throw new UserError('anneal gym eval needs --solutions-dir DIR, or --base-url URL and --model NAME');
  }
  const forModels = [
    'model',
    'api-key-env',
    'samples',
    'temperature',
    'max-tokens',
    'seed',
    'concurrency',
    'timeout',
  ] as const;
  if (directory !== undefined) {
    const idle = forModels.find((name) => values[name] !== undefined);
    if (idle !== undefined) throw new UserError(`--${idle} has no effect with --solutions-dir; it is for --base-url`);
    return folderAnswers(directory);
  }
  if (values.model === undefined) throw new UserError('anneal gym eval needs --model NAME with --base-url');
  const timeoutSeconds = wholeNumber('timeout', values.timeout);
  const endpoint = openEndpoint({
    baseUrl: baseUrl!,
    model: values.model,
    apiKey: apiKeyOf(values['api-key-env']),
    temperature: numberOf('temperature', values.temperature, { from: 0, to: 10 }),
    maxTokens: wholeNumber('max-tokens', values['max-tokens']),
    timeoutSeconds,
  });
  return sampledAnswers(endpoint, {
    samples: wholeNumber('samples', values.samples) ?? 1,
    seed: wholeNumber('seed', values.seed, { from: 0, to: 999_999_999 }),
    limit: createLimiter(wholeNumber('concurrency', values.concurrency) ?? 8),
  });
}

function apiKeyOf(name: string | undefined): string | undefined {
  if (name === undefined) return process.env.OPENAI_API_KEY;
  const key = process.env[name];
  if (!key) throw new UserError(`--api-key-env ${name}: this environment variable is not set`);
  return key;
}

function ksOf({ k = '1', samples = '1', 'base-url': baseUrl }: Values): readonly number[] {
  const ks = k.split(',').map((part) => wholeNumber('k', part.trim())!);
  const beyond = ks.find((one) => one > Number(samples));
  if (baseUrl !== undefined && beyond !== undefined) {
    throw new UserError(`--k ${beyond} takes at least ${beyond} answers for each environment; --samples is ${samples}`);
  }
  return ks;
}

function warnUnused(files: readonly string[]): void {
  if (files.length === 0) return;
  const shown = files.slice(0, 5).join(', ');
  process.stderr.write(
    `warning: ${files.length === 1 ? '1 file answers' : `${files.length} files answer`} nothing in the suite: ${printable(shown)}${files.length > 5 ? ', …' : ''}\n`,
  );
}

/** 0 all passed, 1 some did not, 2 some have no verdict or nothing was judged. */
function exitCodeOf({ environments, noVerdict }: EvaluationReport): number {
  if (noVerdict.length > 0 || environments.length === 0) return 2;
  return environments.every(({ missing, answers, passed }) => !missing && passed === answers.length) ? 0 : 1;
}

function reportText(report: EvaluationReport): string {
  const rows = report.environments.map((one) => [
    one.name,
    one.variant,
    one.missing ? 'missing' : `${one.passed} of ${one.scored}`,
    one.meanScore === null ? '–' : shortScore(one.meanScore),
    one.noVerdict === 0 ? '' : String(one.noVerdict),
  ]);
  const lines = [table(['environment', 'variant', 'passed', 'mean score', 'no verdict'], rows), ''];
  if (report.passRate !== null) lines.push(`pass rate   ${percent(report.passRate)}`);
  if (report.meanScore !== null) lines.push(`mean score  ${estimate(report.meanScore, shortScore)}`);
  for (const { k, value, environments } of report.passAtK) {
    if (k === 1 && report.passAtK.length === 1) continue;
    const shown = value === null ? 'no environment has so many scored answers' : `${(100 * value).toFixed(1)} %`;
    const some = value !== null && environments < report.environments.length ? ` (${environments} environments)` : '';
    lines.push(`pass@${k}`.padEnd(12) + shown + some);
  }
  if (report.missing.length > 0) lines.push(`missing     ${report.missing.join(', ')} (not passed, score 0)`);
  for (const { environment, reason } of report.skipped) lines.push(`skipped     ${environment}: ${reason}`);
  for (const { environment, answer, cause, message } of report.noVerdict.slice(0, 10)) {
    lines.push(printable(`no verdict  ${environment} ${answer}: ${cause}: ${message.split('\n')[0]}`));
  }
  if (report.noVerdict.length > 10) lines.push(`… and ${report.noVerdict.length - 10} more without a verdict`);
  return lines.join('\n');
}

const percent = (one: Estimate) => estimate(one, (value) => `${(100 * value).toFixed(1)} %`);

function estimate({ value, low, high }: Estimate, show: (value: number) => string): string {
  return `${show(value)}  (95 %: ${show(low)} to ${show(high)})`;
}

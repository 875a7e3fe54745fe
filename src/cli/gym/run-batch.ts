import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../config/index.js';
import { answerOf, type Language, loadEnvironment, type NoVerdict, type Verdict } from '../../gym/index.js';
import { shorten } from '../../text/index.js';
import { onePositional, readArguments, wholeNumber } from '../arguments.js';
import {
  answerLanguage,
  judgingOptions,
  noVerdictExit,
  readAnswer,
  sandboxOption,
  storeTrace,
  traceStore,
  withGym,
} from './judging.js';
import { printable } from './printable.js';
import { table } from './table.js';
import { isolationText, shortScore } from './verdict-text.js';

/** `anneal gym run-batch`: judges every answer of a folder. */
export async function run(args: string[]): Promise<number> {
  try {
    return await judgeAll(args);
  } catch (error) {
    return noVerdictExit(error, args.includes('--json'));
  }
}

async function judgeAll(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('gym run-batch', args, {
    'solutions-dir': { type: 'string' },
    workers: { type: 'string' },
    ...judgingOptions,
  });
  const environment = await loadEnvironment(onePositional('gym run-batch', positionals, 'an environment'));
  const { variant, traces, json, verbose } = values;
  const directory = values['solutions-dir'];
  if (directory === undefined) throw new UserError('anneal gym run-batch needs --solutions-dir DIR');
  const sandbox = sandboxOption(values.sandbox);
  const workers = wholeNumber('workers', values.workers);
  const files = await answerFiles(directory);
  const answers = await Promise.all(
    files.map(async (file) => {
      const language = answerLanguage(environment, values.language, file);
      const written = await readAnswer(join(directory, file));
      // As for eval: what a model wrote, with its answer in a fenced block.
      const answer = file.endsWith('.md')
        ? answerOf(written, environment.kind === 'document' ? undefined : language)
        : written;
      return { file, written, answer, language };
    }),
  );
  const store = await traceStore(traces);
  return withGym(sandbox, workers, async (gym, signal) => {
    const options = { variant, signal };
    const verdicts = new Map<string, Verdict>();
    // A batch is in one language; a folder may hold several.
    await Promise.all(
      [...new Set(answers.map((one) => one.language))].map(async (language: Language | undefined) => {
        const same = answers.filter((one) => one.language === language);
        const given = await gym.runBatch(
          environment,
          same.map((one) => one.answer),
          { ...options, language },
        );
        for (const [index, { file }] of same.entries()) verdicts.set(file, given[index]!);
      }),
    );
    const judged = answers.map((one) => ({ ...one, verdict: verdicts.get(one.file)! }));
    if (store !== null) {
      for (const { written, language, verdict } of judged) {
        await storeTrace(store, gym, environment, { variant, language, completion: written, verdict });
      }
    }
    const counts = summary(judged.map((one) => one.verdict));
    if (json) {
      const results = judged.map(({ file, verdict }) => ({ file, ...verdict }));
      console.log(JSON.stringify({ environment: environment.name, ...counts, results }));
    } else {
      console.log(
        table(
          ['answer', 'verdict', 'score', 'details'],
          judged.map(({ file, verdict }) => [file, ...row(verdict)]),
        ),
      );
      const reasons = new Set(judged.flatMap(({ verdict }) => (verdict.kind === 'noVerdict' ? [reason(verdict)] : [])));
      if (reasons.size > 0) console.log(`\nno verdict:\n${[...reasons].map((one) => `  ${one}`).join('\n')}`);
      const mean = counts.meanScore === null ? '' : `, mean score ${shortScore(counts.meanScore)}`;
      const without = counts.noVerdict > 0 ? `, ${counts.noVerdict} without a verdict` : '';
      console.log(`\n${environment.name}: ${counts.passed} of ${counts.total} passed${mean}${without}`);
      if (counts.noVerdict < counts.total) console.log(isolationText(await gym.capabilities(), verbose));
    }
    return counts.noVerdict > 0 ? 2 : counts.passed < counts.total ? 1 : 0;
  });
}

async function answerFiles(directory: string): Promise<string[]> {
  let entries: Awaited<ReturnType<typeof list>>;
  try {
    entries = await list(directory);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new UserError(`There is no folder ${directory}`);
    if (code === 'ENOTDIR') throw new UserError(`${directory} is a file; wanted is a folder with one answer a file`);
    throw new UserError(`${directory} could not be read: ${message}`, { cause: error });
  }
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map((entry) => entry.name);
  if (files.length === 0) throw new UserError(`${directory} holds no answers`);
  return files.sort();
}

const list = (directory: string) => readdir(directory, { withFileTypes: true });

/** The mean is over the answers that were judged; null when none was. */
function summary(verdicts: readonly Verdict[]) {
  const scored = verdicts.filter((verdict) => verdict.kind === 'scored');
  return {
    total: verdicts.length,
    passed: scored.filter((verdict) => verdict.passed).length,
    noVerdict: verdicts.length - scored.length,
    meanScore: scored.length === 0 ? null : scored.reduce((sum, verdict) => sum + verdict.score, 0) / scored.length,
  };
}

const reason = ({ cause, message }: NoVerdict) => printable(`${cause}: ${message.split('\n')[0]}`);

function row(verdict: Verdict): readonly [string, string, string] {
  if (verdict.kind === 'noVerdict') return ['no verdict', '–', shorten(reason(verdict), 100)];
  const failed = verdict.cases.find((one) => !one.passed);
  const why = failed?.error ? ` (${failed.id}: ${failed.error.split('\n')[0]!.slice(0, 80)})` : '';
  return [
    verdict.passed ? 'passed' : 'not passed',
    shortScore(verdict.score),
    `${verdict.details.slice(0, 120)}${why}`,
  ];
}

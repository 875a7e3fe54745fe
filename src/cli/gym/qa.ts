import { availableParallelism } from 'node:os';
import { UserError } from '../../config/index.js';
import { type Environment, listEnvironments, loadEnvironment } from '../../gym/index.js';
import { type EnvironmentQa, qa, summarise } from '../../gym/qa/index.js';
import { readArguments, wholeNumber } from '../arguments.js';
import { noSandboxExit, sandboxOption, withGym } from './judging.js';
import { table } from './table.js';

/**
 * `anneal gym qa`: the gate an environment must pass. With `--json` a line for each environment, and a last one that sums up.
 * Exit code 0 all pass, 1 some do not, 2 the sandbox could not be had.
 */
export async function run(args: string[]): Promise<number> {
  try {
    return await examine(args);
  } catch (error) {
    return noSandboxExit(error, args.includes('--json'));
  }
}

async function examine(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('gym qa', args, {
    all: { type: 'boolean' },
    attack: { type: 'string' },
    repeats: { type: 'string' },
    workers: { type: 'string' },
    sandbox: { type: 'string' },
    json: { type: 'boolean' },
  });
  const environments = await chosenEnvironments('qa', positionals, values.all);
  const sandbox = sandboxOption(values.sandbox);
  // Much of an attack is waiting for its end.
  const workers = wholeNumber('workers', values.workers) ?? 2 * availableParallelism();
  const repeats = wholeNumber('repeats', values.repeats);
  const print = (line: object | string) => console.log(typeof line === 'string' ? line : JSON.stringify(line));
  return withGym(sandbox, workers, async (gym, signal) => {
    const report = await qa(gym, environments, {
      signal,
      parallel: workers,
      repeats,
      attack: values.attack,
      onResult: (result) => print(values.json ? result : describe(result)),
    });
    const summary = summarise(report.results);
    if (values.json) print(summary);
    else {
      print(attackTable(report.results));
      print(
        `\n${summary.environments} environments, ${summary.attacks} attacks, ${summary.succeeded} succeeded, ` +
          `${summary.referencesFailed} runs of references failed. ${summary.passed ? 'All pass.' : `Not passed: ${summary.failed.join(', ')}`}`,
      );
    }
    return summary.passed ? 0 : 1;
  });
}

/** The environments named on the command line, or all. */
export async function chosenEnvironments(
  verb: string,
  names: readonly string[],
  all: boolean | undefined,
): Promise<readonly Environment[]> {
  if (all && names.length > 0) throw new UserError(`anneal gym ${verb}: --all and names exclude each other`);
  if (all) return listEnvironments();
  if (names.length === 0)
    throw new UserError(`anneal gym ${verb} needs the name or folder of an environment, or --all`);
  return Promise.all(names.map(loadEnvironment));
}

function describe(result: EnvironmentQa): string {
  const { references, worthless, attacks, mutants, failures, warnings, seconds } = result;
  const facts = [
    `${references.runs - references.failed} of ${references.runs} runs of references at 1`,
    `${worthless.answers} worthless answers up to ${worthless.highest.toFixed(2)} (floor ${worthless.floor})`,
    `${attacks.filter((attack) => attack.success !== null).length} of ${attacks.length} attacks succeeded`,
    `${mutants.killed} of ${mutants.made} mutants found`,
  ];
  const lines = [
    `${result.passed ? 'pass' : 'FAIL'}  ${result.environment}  (${seconds.toFixed(1)} s)  ${facts.join(', ')}`,
  ];
  for (const { kind, message } of failures) lines.push(`      ${kind}: ${message}`);
  for (const { kind, message } of warnings) lines.push(`      note, ${kind}: ${message}`);
  return lines.join('\n');
}

/** Attacks in rows: on how many environments each was tried, the best it earned, where it succeeded. */
function attackTable(results: readonly EnvironmentQa[]): string {
  const rows = new Map<string, { what: string; tried: number; answers: number; score: number; succeeded: string[] }>();
  for (const { environment, attacks } of results) {
    for (const { name, language, what, answers, score, success } of attacks) {
      const key = `${language} ${name}`;
      const row = rows.get(key) ?? { what, tried: 0, answers: 0, score: 0, succeeded: [] };
      rows.set(key, row);
      row.tried++;
      row.answers += answers;
      row.score = Math.max(row.score, score);
      if (success !== null) row.succeeded.push(environment);
    }
  }
  return `\n${table(
    ['attack', 'environments', 'answers', 'best score', 'succeeded on', 'what it does'],
    [...rows].map(([key, { what, tried, answers, score, succeeded }]) => [
      key,
      String(tried),
      String(answers),
      score.toFixed(2),
      succeeded.join(' ') || '–',
      what,
    ]),
  )}`;
}

import { buffer } from 'node:stream/consumers';
import { UserError } from '../../config/index.js';
import { answerOf, loadEnvironment } from '../../gym/index.js';
import { onePositional, readArguments } from '../arguments.js';
import {
  answerLanguage,
  answerText,
  exitCode,
  judgingOptions,
  noVerdictExit,
  readAnswer,
  sandboxOption,
  storeTrace,
  traceStore,
  withGym,
} from './judging.js';
import { isolationText, verdictText } from './verdict-text.js';

/** `anneal gym run`: judges one answer. */
export async function run(args: string[]): Promise<number> {
  try {
    return await judgeOne(args);
  } catch (error) {
    return noVerdictExit(error, args.includes('--json'));
  }
}

async function judgeOne(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('gym run', args, {
    solution: { type: 'string' },
    extract: { type: 'boolean' },
    ...judgingOptions,
  });
  const environment = await loadEnvironment(onePositional('gym run', positionals, 'an environment'));
  const { solution, variant, traces, json, verbose } = values;
  if (solution === undefined) throw new UserError('anneal gym run needs --solution FILE; - reads stdin');
  const sandbox = sandboxOption(values.sandbox);
  const language = answerLanguage(environment, values.language, solution);
  const written = solution === '-' ? answerText(await buffer(process.stdin), 'stdin') : await readAnswer(solution);
  const answer = values.extract ? answerOf(written, language) : written;
  const store = await traceStore(traces);
  return withGym(sandbox, 1, async (gym, signal) => {
    const options = {
      variant,
      language,
      signal,
    };
    const verdict = await gym.run(environment, answer, options);
    if (store !== null) await storeTrace(store, gym, environment, { variant, language, completion: written, verdict });
    if (json) console.log(JSON.stringify(verdict));
    else {
      console.log(verdictText(environment, verdict));
      if (verdict.kind === 'scored') console.log(`\n${isolationText(await gym.capabilities(), verbose)}`);
    }
    return exitCode(verdict);
  });
}

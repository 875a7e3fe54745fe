import { text } from 'node:stream/consumers';
import { UserError } from '../../config/index.js';
import { answerOf, loadEnvironment, openTraceStore } from '../../gym/index.js';
import { onePositional, readArguments } from '../arguments.js';
import {
  answerLanguage,
  exitCode,
  judgingOptions,
  noVerdictExit,
  readAnswer,
  sandboxOption,
  storeTrace,
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
  const { solution, variant, traces, json } = values;
  if (solution === undefined) throw new UserError('anneal gym run needs --solution FILE; - reads stdin');
  const sandbox = sandboxOption(values.sandbox);
  const language = answerLanguage(environment, values.language, solution);
  const written = solution === '-' ? await text(process.stdin) : await readAnswer(solution);
  const answer = values.extract ? answerOf(written, language) : written;
  return withGym(sandbox, 1, async (gym, signal) => {
    const options = {
      ...(variant === undefined ? {} : { variant }),
      ...(language === undefined ? {} : { language }),
      signal,
    };
    const verdict = await gym.run(environment, answer, options);
    if (traces !== undefined) {
      const judged = { variant, language, completion: written, verdict };
      await storeTrace(openTraceStore(traces), gym, environment, judged);
    }
    if (json) console.log(JSON.stringify(verdict));
    else {
      console.log(verdictText(environment, verdict));
      if (verdict.kind === 'scored') console.log(`\n${isolationText(await gym.capabilities())}`);
    }
    return exitCode(verdict);
  });
}

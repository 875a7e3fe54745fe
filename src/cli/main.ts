// The entry of the command line. A command throws; only here does an error become text and an exit code, by the rule of errors.ts:
// an error thrown on purpose (any `Error`, or one with `expected: true`, such as `UserError`) shows its message alone, and what
// the language raised by itself (TypeError, …) shows its stack and says that it is a bug. ANNEAL_STACK=1 shows every stack.
import { CommanderError } from 'commander';
import { describeError } from './errors.js';
import { runProgram } from './program.js';

// `anneal config-schema | head` closes the pipe early; that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

try {
  process.exitCode = await runProgram(process.argv.slice(2));
} catch (error) {
  if (error instanceof CommanderError) {
    // commander has printed its message already.
    process.exitCode = error.exitCode;
  } else {
    const { text, exitCode } = describeError(error);
    process.stderr.write(`${text}\n`);
    process.exitCode = exitCode;
  }
}

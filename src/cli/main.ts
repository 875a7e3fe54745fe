// The entry of the command line. A command throws; only here does an error become text and an exit code, by the rule of errors.ts:
// an error thrown on purpose (any `Error`, or one with `expected: true`, such as `UserError`) shows its message alone, and what
// the language raised by itself (TypeError, …) shows its stack and says that it is a bug. ANNEAL_STACK=1 shows every stack.
import { CommanderError } from 'commander';
import { describeError, describeStrayRejection, endedEarly } from './errors.js';
import { runProgram } from './program.js';

let leaving = false;
function leave(text: string | null, exitCode: number): void {
  leaving = true;
  if (text !== null) process.stderr.write(`${text}\n`);
  process.exit(exitCode);
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // `anneal config-schema | head` closes the pipe early; that is no error.
  if (error.code === 'EPIPE') leave(null, 0);
  else leave(`error: cannot write the output: ${error.message}`, 1);
});
// A run outlives the terminal or the pipe that shows its progress; output_dir/debug.log has it all.
process.stderr.on('error', () => {});
process.on('unhandledRejection', (reason) => leave(describeStrayRejection(reason), 1));
// Node leaves in silence when nothing is left that could settle the promise it waits for (13), or when code of the user exits.
process.on('exit', (code) => {
  if (leaving || (code !== 0 && code !== 13)) return;
  process.stderr.write(`${endedEarly}\n`);
  process.exitCode = 1;
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
leaving = true;

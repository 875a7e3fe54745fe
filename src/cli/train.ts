import { loadConfig, splitArguments } from '../config/index.js';
import { createConsole } from '../observe/index.js';
import { train } from '../run/index.js';
import { onePositional } from './arguments.js';
import { onInterrupt } from './interrupt.js';

/** `anneal train CONFIG`: trains as the config says. Exit code 130 when it was stopped before the end. */
export async function run(args: string[]): Promise<number> {
  const { positionals, own, overrides } = splitArguments(args, { debug: 'flag' });
  const path = onePositional('train', positionals, 'the YAML file of the run');
  const console = createConsole();
  const interrupt = onInterrupt(() => console.log('stopping: saving a checkpoint (once more to stop at once)'));
  try {
    const { status, checkpoint } = await train(loadConfig(path, overrides), {
      console,
      signal: interrupt.signal,
      debug: own.debug === true,
    });
    if (status === 'finished') return 0;
    if (checkpoint !== null) {
      console.log(
        `to continue: the same command with --auto-resume-from-checkpoints (or --resume-from-checkpoint ${checkpoint})`,
      );
    }
    return 130;
  } finally {
    console.close();
    interrupt.release();
  }
}

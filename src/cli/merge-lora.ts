import { join, resolve } from 'node:path';
import { splitArguments, UserError } from '../config/index.js';
import { createConsole } from '../observe/index.js';
import { mergeLora, mergeTolerance } from '../run/index.js';
import { onePositional } from './arguments.js';
import { openModelArgument } from './model-argument.js';

/** `anneal merge-lora CONFIG|ADAPTER_DIR`: writes the merged model to `merged` in the output directory. */
export async function run(args: string[]): Promise<number> {
  const { positionals, own, overrides } = splitArguments(args, { output: 'value' });
  const target = onePositional('merge-lora', positionals, 'a YAML file or an adapter directory');
  const console = createConsole();
  try {
    const { model, outputDir } = await openModelArgument(target, overrides, console);
    const parent = outputDir ?? model.adapter;
    if (own.output === '' || (own.output === undefined && parent === null)) {
      throw new UserError('merge-lora: say where to write with --output DIR');
    }
    console.log(`merging ${model.description}`);
    const result = await mergeLora(model, resolve(own.output ?? join(parent!, 'merged')));
    console.log(
      `merged model and model with adapter differ by at most ${result.difference.toExponential(2)} in ${result.compared} log-probabilities (limit ${mergeTolerance})`,
    );
    console.print(result.outputDir);
    return 0;
  } finally {
    console.close();
  }
}

import { readFileSync } from 'node:fs';
import { Command } from 'commander';

/** A command's module. Modules are loaded when their command is called, so that `--help` stays fast. */
export interface Verb {
  /** Runs the command with the arguments after its name; resolves to the exit code. */
  run(args: string[]): Promise<number>;
}

interface VerbEntry {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** Shown by `anneal <name> --help`. */
  readonly help: string;
  load(): Promise<Verb>;
}

const overrides = `
Any config key can be set on the command line and wins over the file:
  --learning-rate 1e-4  --trl.beta=0.1  --datasets.0.path=rows.jsonl  --sample-packing  --no-sample-packing  --adapter null
Keys: docs/config.md, or anneal config-schema.`;

/** Loads a sibling module by name. */
const sibling = (name: string) => () => import(new URL(`./${name}.js`, import.meta.url).href) as Promise<Verb>;

const verbs: readonly VerbEntry[] = [
  {
    name: 'train',
    usage: '<config.yaml> [--key value …]',
    summary: 'train a model as the config says',
    help: `
  --debug                           show the first examples token by token, with their labels
  --auto-resume-from-checkpoints    continue from the newest checkpoint in output_dir, where there is one
  --resume-from-checkpoint DIR      continue from this checkpoint
Ctrl-C saves a checkpoint and ends; once more, it ends at once.
${overrides}`,
    load: () => import('./train.js'),
  },
  {
    name: 'inference',
    usage: '<config.yaml | model> [--prompt TEXT | --chat] [options]',
    summary: 'answer with a trained model',
    help: `
The model is what the config's output_dir holds, or a model, an adapter or a .gguf file itself.
  --prompt TEXT  answer one prompt; without it the prompt is read from stdin
  --chat         a conversation in the terminal
  --system TEXT  a system message
  --temperature N (0.9; 0 is greedy)  --top-p N (0.95)  --top-k N (40)  --min-p N (0)
  --repetition-penalty N (1.1)  --max-new-tokens N (1024)  --seed N (42)
${overrides}`,
    load: () => import('./inference.js'),
  },
  {
    name: 'merge-lora',
    usage: '<config.yaml | adapter> [--output DIR] [--key value …]',
    summary: 'merge a LoRA adapter into its model',
    help: `
  --output DIR  where the merged model goes; default: merged in the output directory
${overrides}`,
    load: () => import('./merge-lora.js'),
  },
  {
    name: 'config-schema',
    usage: '[--format json|yaml] [--field NAME]',
    summary: 'print the JSON Schema of the config',
    help: `
  --format json|yaml  json is the default
  --field NAME        only this key, such as learning_rate or trl.beta`,
    load: () => import('./config-schema.js'),
  },
  {
    name: 'gym',
    usage: '<list | show | run | run-batch | eval | new | qa | audit | serve> [arguments]',
    summary: 'environments with executable verifiers: judge answers, measure models, reward trainers',
    help: `
anneal gym --help lists its commands.`,
    load: sibling('gym'),
  },
  {
    name: 'traces',
    usage: 'export <folder> --rows rl|sft|prm --output FILE',
    summary: 'training rows from stored runs and episodes',
    help: `
  --rows rl|sft|prm    step rewards per episode; passed episodes as conversations; stepwise_supervised rows
  --output FILE        .jsonl or .parquet
  --labels threshold|improvement|rollouts  how prm labels follow from step rewards (threshold)
  --threshold N (0.5)  the least reward, or share of passed roll-outs, of a step with label true
  --environment NAME  --variant NAME  --model NAME  only these
  --json  what was written and left out, as one JSON value`,
    load: sibling('traces'),
  },
  {
    name: 'quickstart',
    usage: '[--short] [--seed N] [--output DIR]',
    summary: 'make a small chat model and train it: SFT, then GRPO',
    help: `
  --short       only to see that everything works, in less than a minute
  --seed N      another draw of problems, weights and samples; 1 is the default
  --output DIR  default quickstart-out, or the next free name`,
    load: sibling('quickstart'),
  },
];

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Runs `anneal` with these arguments; resolves to the exit code. Throws a CommanderError whose text has been shown already. */
export async function runProgram(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  const called = verbs.find((verb) => verb.name === name);
  // The commands of `gym` have their own help.
  const wantsHelp = name !== 'gym' && (rest.includes('--help') || rest.includes('-h'));
  // The arguments of a verb are its own business: commander does not know the keys of a config.
  if (called !== undefined && !wantsHelp) return (await called.load()).run(rest);

  const program = new Command('anneal')
    .usage('<command> [arguments]')
    .description('Post-training of language models: fine-tuning and reinforcement learning from one YAML file.')
    .version(version())
    .showSuggestionAfterError()
    .exitOverride();
  for (const verb of verbs) {
    program
      .command(verb.name)
      .usage(verb.usage)
      .summary(verb.summary)
      .description(`${verb.summary[0]!.toUpperCase()}${verb.summary.slice(1)}.`)
      .addHelpText('after', verb.help);
  }
  if (called !== undefined) await program.parseAsync([called.name, '--help'], { from: 'user' });
  else if (args.length === 0) program.help({ error: true });
  else await program.parseAsync(args, { from: 'user' });
  return 0;
}

import { Command } from 'commander';
import { didYouMean, UserError } from '../config/index.js';
import type { Verb } from './program.js';

interface GymVerb {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly help: string;
}

const verbs: readonly GymVerb[] = [
  {
    name: 'list',
    usage: '[--suite NAME] [--json]',
    summary: 'the environments that can be used by name',
    help: `
  --suite NAME  only those of a difficulty, kind, language, family, domain or tag`,
  },
  {
    name: 'show',
    usage: '<environment> [--variant V] [--language L] [--cases] [--json]',
    summary: 'an environment: its task as a model sees it, its limits, variants and checks',
    help: `
  --cases  also the cases of the variant, with the expected values
Exit code: 0, or 2 where the cases need the sandbox and it could not be had.`,
  },
  {
    name: 'run',
    usage: '<environment> --solution FILE [--variant V] [--language L] [--json]',
    summary: 'judge one answer',
    help: `
  --solution FILE   the answer; - reads stdin
  --sandbox NAME    local (default), daytona, e2b, none
  --extract         take the last fenced code block of the file
  --traces DIR      store the run there
  --verbose         say what the sandbox has in force
Exit code: 0 passed, 1 not passed, 2 no verdict.`,
  },
  {
    name: 'run-batch',
    usage: '<environment> --solutions-dir DIR [--variant V] [--language L] [--json]',
    summary: 'judge every answer of a folder',
    help: `
  --solutions-dir DIR  one answer a file, in the order of their names; a .md file holds what a model wrote
  --workers N          answers judged at a time; default: the number of cores
  --sandbox NAME       local (default), daytona, e2b, none
  --traces DIR         store the runs there
  --verbose            say what the sandbox has in force
Exit code: 0 all passed, 1 some did not, 2 some have no verdict.`,
  },
  {
    name: 'eval',
    usage: '--suite NAME (--solutions-dir DIR | --base-url URL --model NAME) [--json]',
    summary: 'a suite against a folder of answers, or against a model behind an OpenAI-compatible endpoint',
    help: `
  --suite NAME         all, a difficulty, kind, language, family, domain or tag, or names separated by commas
  --solutions-dir DIR  answers named after their environment: coin_change.py, or coin_change/1.py, coin_change/2.py, …
  --base-url URL       such as http://127.0.0.1:8000/v1; the key comes from --api-key-env NAME (OPENAI_API_KEY)
  --samples N          answers per environment (1);  --k 1,5,10  for pass@k
  --variant V  --language L  --temperature N  --max-tokens N  --seed N  --traces DIR  --sandbox NAME
  --concurrency N      requests at a time (8);  --timeout S  seconds one may take (300);  --workers N  answers judged at a time
  --verbose            say what the sandbox has in force
Exit code: 0 all passed, 1 some did not, 2 some have no verdict.`,
  },
  {
    name: 'new',
    usage: '<folder> [--kind function|script|document|episode] [--language L]',
    summary: 'begin an environment: a folder that loads, passes and can be changed',
    help: '',
  },
  {
    name: 'qa',
    usage: '(<environment> … | --all) [--json]',
    summary: 'the gate an environment must pass: references, worthless answers, attacks, mutants, flakiness',
    help: `
  --all          every built-in environment
  --attack NAME  only this attack
  --repeats N    runs of each reference for flakiness (3)
  --workers N    answers judged at a time; default: the number of cores
  --sandbox NAME  local (default), daytona, e2b
Exit code: 0 all pass, 1 some do not, 2 the sandbox could not be had.`,
  },
  {
    name: 'audit',
    usage: '(<environment> … | --all) [--json]',
    summary: 'leaks between variants, duplicate tasks, splits and hashes',
    help: `
  --seed N (0)  --public-eval-ratio N (0.2)  --holdout-ratio N (0.1)  --canary-ratio N (0.05)  --split ENVIRONMENT=SPLIT
  --sandbox NAME  local (default), daytona, e2b, none: where generators run
Exit code: 0 nothing leaks, 1 something does, 2 the sandbox could not be had.`,
  },
  {
    name: 'serve',
    usage: '[--host H] [--port N]',
    summary: 'verdicts and rewards over HTTP, for trainers in other languages',
    help: `
  --host H (127.0.0.1)  --port N (8000)
  --environment NAME    the one that /reward/score and OpenRLHF requests without a name are for
  --sandbox NAME        local (default), daytona, e2b, none
  --workers N           answers judged at a time; default: the number of cores
  --no-auth             serve without ANNEAL_GYM_API_KEY
  --verbose             say what the sandbox has in force
Exit code: 0 stopped, 2 the sandbox could not be had.`,
  },
];

/** `anneal gym VERB …`. A verb's module is loaded when it is called. */
export async function run(args: string[]): Promise<number> {
  const [name, ...rest] = args;
  const called = verbs.find((verb) => verb.name === name);
  if (called !== undefined && !rest.some((arg) => arg === '--help' || arg === '-h')) {
    const verb = (await import(new URL(`./gym/${called.name}.js`, import.meta.url).href)) as Verb;
    return verb.run(rest);
  }
  if (name !== undefined && called === undefined && !/^(-h|--help|help)$/.test(name)) {
    const names = verbs.map((verb) => verb.name);
    throw new UserError(`anneal gym has no command ${name}; there are ${names.join(', ')}${didYouMean(name, names)}`);
  }
  const program = new Command('anneal gym')
    .usage('<command> [arguments]')
    .description('Environments with executable verifiers: judge answers, measure models, reward trainers.')
    .exitOverride();
  for (const { name: verb, usage, summary, help } of verbs) {
    program
      .command(verb)
      .usage(usage)
      .summary(summary)
      .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`)
      .option('--json', 'one JSON value on stdout, nothing else')
      .addHelpText('after', help);
  }
  if (called !== undefined) await program.parseAsync([called.name, '--help'], { from: 'user' });
  else program.outputHelp();
  return 0;
}

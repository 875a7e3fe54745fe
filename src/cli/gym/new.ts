import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { didYouMean, UserError } from '../../config/index.js';
import { gymAsset } from '../../gym/assets.js';
import { loadEnvironment } from '../../gym/environment/index.js';
import { onePositional, readArguments } from '../arguments.js';

/** The languages that an answer may be in, by kind. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  function: ['python', 'javascript', 'typescript'],
  script: ['bash', 'python'],
  document: [],
  episode: ['python'],
};
/** Files that are written in the answer's language. A TypeScript answer is tried by JavaScript as well. */
const extensions: Readonly<Record<string, string>> = {
  python: '.py',
  javascript: '.js',
  typescript: '.js',
  bash: '.sh',
};

/** `anneal gym new`: a small environment that works, to be changed into another. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('gym new', args, {
    kind: { type: 'string' },
    language: { type: 'string' },
    json: { type: 'boolean' },
  });
  const folder = onePositional('gym new', positionals, 'a folder to write');
  const kind = values.kind ?? 'function';
  const languages = Object.hasOwn(kinds, kind) ? kinds[kind]! : refuse('--kind', kind, Object.keys(kinds));
  const { language } = values;
  if (language !== undefined && !languages.includes(language)) {
    if (languages.length === 0) throw new UserError(`the answer to a ${kind} has no language; leave --language out`);
    refuse(`--language of kind ${kind}`, language, languages);
  }
  const directory = resolve(folder);
  if (existsSync(directory) && !statSync(directory).isDirectory()) throw new UserError(`${folder} is a file`);
  if (existsSync(directory) && readdirSync(directory).length > 0) {
    throw new UserError(`${folder} is not empty; choose a folder that is not there yet`);
  }
  write(directory, kind, language === undefined ? languages : [language]);
  const environment = await loadEnvironment(directory);
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(directory, path)).isFile())
    .sort();
  const path = folder.startsWith('.') || resolve(folder) === folder ? folder : `./${folder}`;
  if (values.json) console.log(JSON.stringify({ name: environment.name, directory, kind, files }, null, 2));
  else {
    console.log(`${folder}: an environment of kind ${kind}, to be changed into yours.\n  ${files.join('\n  ')}`);
    console.log(`\nanneal gym show ${path} shows its task, anneal gym qa ${path} tries it.`);
  }
  return 0;
}

function refuse(what: string, given: string, known: readonly string[]): never {
  throw new UserError(`${what}: expected ${known.join(', ')}, got ${given}${didYouMean(given, known)}`);
}

function write(directory: string, kind: string, languages: readonly string[]): void {
  mkdirSync(directory, { recursive: true });
  cpSync(gymAsset(`templates/${kind}`), directory, { recursive: true });
  const endings = languages.map((language) => extensions[language]);
  const kept = (file: string) => languages.length === 0 || endings.some((ending) => file.endsWith(ending!));
  for (const file of readdirSync(directory)) {
    if (file.startsWith('reference.') && !kept(file)) rmSync(join(directory, file));
  }
  const bad = readdirSync(join(directory, 'bad'));
  for (const file of bad) if (!kept(file)) rmSync(join(directory, 'bad', file));

  const file = join(directory, 'environment.yaml');
  const text = readFileSync(file, 'utf8')
    .replace('{{title}}', JSON.stringify(titleOf(directory)))
    .replace('{{languages}}', `[${languages.join(', ')}]`)
    .replace(
      '{{bad_answers}}',
      `{${bad
        .filter(kept)
        .map((name) => `${name}: ${badScore}`)
        .join(', ')}}`,
    );
  writeFileSync(file, text);
}

/** Most that the bad answers of the templates get. */
const badScore = 0.7;

function titleOf(directory: string): string {
  const words = basename(directory).replace(/[-_]+/g, ' ').trim();
  return words === '' ? 'New environment' : `${words[0]!.toUpperCase()}${words.slice(1)}`;
}

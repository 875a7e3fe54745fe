import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { gymAsset } from '../assets.js';
import type { Environment } from '../environment/types.js';
import type { Language } from '../language.js';
import type { Canary } from './canary.js';
import { functionNameOf } from './function-name.js';

/** What hostile answers are written in. `document`: texts for environments that read their answers. */
export type AttackLanguage = 'python' | 'javascript' | 'bash' | 'document';

/** A way to cheat or to do harm, in one language: one or more answers. */
export interface Attack {
  /** `forged-stdout`. */
  readonly name: string;
  readonly language: AttackLanguage;
  /** What it does, in a sentence. */
  readonly what: string;
  /** With placeholders; see `attackText`. */
  readonly texts: readonly string[];
}

const folders: Readonly<Record<AttackLanguage, { readonly ending: string; readonly separator: string }>> = {
  python: { ending: '.py', separator: '\n# ---\n' },
  javascript: { ending: '.js', separator: '\n// ---\n' },
  bash: { ending: '.sh', separator: '\n# ---\n' },
  document: { ending: '.txt', separator: '\n---\n' },
};

/** All attacks, by language and name. They are the files of `gym/attacks`; the first line says what the attack does. */
export async function loadAttacks(): Promise<readonly Attack[]> {
  const attacks: Attack[] = [];
  for (const [language, { ending, separator }] of Object.entries(folders)) {
    const folder = gymAsset(join('attacks', language));
    for (const file of (await readdir(folder)).filter((name) => extname(name) === ending).sort()) {
      const text = await readFile(join(folder, file), 'utf8');
      const end = text.indexOf('\n');
      const what = text.slice(0, end).replace(/^\W+/, '');
      const texts = text.slice(end + 1).split(separator);
      attacks.push({ name: basename(file, ending), language: language as AttackLanguage, what, texts });
    }
  }
  return attacks;
}

/** The languages in which an environment can be attacked. TypeScript becomes JavaScript before it runs. */
export function attackLanguages(environment: Environment): readonly AttackLanguage[] {
  if (environment.kind === 'document') return ['document'];
  return environment.languages.filter((language) => language !== 'typescript');
}

/** One hostile answer, for an environment, with the canary's places and a token of its own. */
export function attackText(
  text: string,
  attack: Attack,
  environment: Environment,
  canary: Canary,
  token: string,
): string {
  const quoted = attack.language === 'python' || attack.language === 'javascript';
  const put = (value: string) => (quoted ? JSON.stringify(value) : value);
  const values: Readonly<Record<string, string>> = {
    QA_DIRECTORY: put(canary.directory),
    QA_SECRET_MARK: JSON.stringify(canary.mark),
    QA_TOKEN: put(token),
    QA_TCP: String(canary.tcpPort),
    QA_UDP: String(canary.udpPort),
    QA_ABSTRACT: put(canary.abstractName),
    QA_FUNCTION: functionNameOf(environment, attack.language),
  };
  return text.replaceAll(/QA_(DIRECTORY|SECRET_MARK|TOKEN|TCP|UDP|ABSTRACT|FUNCTION)/g, (name) => values[name]!);
}

/** How `gym.run` is told the language; a document has none. */
export const runLanguage = (language: AttackLanguage): { readonly language?: Language } =>
  language === 'document' ? {} : { language };

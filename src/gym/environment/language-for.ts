import { didYouMean } from '../../config/index.js';
import { GymError } from '../gym-error.js';
import type { Language } from '../language.js';
import type { Environment } from './types.js';

/**
 * The language an answer is in: the one asked for, else the environment's first. Nobody looks at that of a document, which is python.
 * @throws GymError when the environment does not take it
 */
export function languageFor({ name, languages }: Environment, asked: string | undefined): Language {
  if (asked === undefined) return languages[0] ?? 'python';
  const found = languages.find((language) => language === asked);
  if (found !== undefined) return found;
  throw new GymError(
    languages.length === 0
      ? `an answer to ${name} is in no programming language; leave the language out`
      : `${name} takes no answers in ${asked}; it takes ${languages.join(', ')}${didYouMean(asked, languages)}`,
  );
}

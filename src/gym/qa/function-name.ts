import type { Environment } from '../environment/types.js';

/** The function that an answer in this language defines. Of a folder without a declared one, what its reference defines. */
export function functionNameOf(environment: Environment, language: string): string {
  const { signature, references } = environment;
  if (signature !== null) return language === 'python' ? signature.names.python : signature.names.javascript;
  const reference = references.find((source) => source.language === language)?.text ?? '';
  return /^(?:export )?(?:def|function) (\w+)/m.exec(reference)?.[1] ?? 'solve';
}

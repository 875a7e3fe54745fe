import { transform } from 'sucrase';
import type { Language } from '../language.js';
import type { ProgramLanguage } from '../runner/types.js';

/** A module as the runner takes it. */
export interface ModuleText {
  readonly language: ProgramLanguage;
  readonly source: string;
}

/**
 * TypeScript becomes JavaScript by dropping its types; nothing is checked. For texts of the environment: `dropTypes` is for others.
 * @throws SyntaxError when TypeScript does not parse
 */
export function moduleText(text: string, language: Language): ModuleText {
  switch (language) {
    case 'python':
    case 'javascript':
      return { language, source: text };
    case 'typescript':
      try {
        const { code } = transform(text, { transforms: ['typescript'], disableESTransforms: true });
        return { language: 'javascript', source: code };
      } catch (error) {
        throw new SyntaxError(error instanceof Error ? error.message : String(error), { cause: error });
      }
    case 'bash':
      throw new TypeError('a bash script has no functions');
  }
}

import type { Environment } from '../environment/types.js';
import type { Language } from '../language.js';
import type { GymContext } from '../types.js';
import { brokenInJavaScript } from './javascript-rules.js';
import type { ModuleText } from './module-text.js';
import { brokenInPython } from './python-rules.js';

/** What the text of an answer breaks of the environment's rules: `uses sorted (line 3)`, `has no loop`. A parser decides. */
export async function brokenRules(
  context: GymContext,
  environment: Environment,
  module: ModuleText,
  functionName: string,
  language: Language,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { rules } = environment;
  // TypeScript answers keep JavaScript's rules unless they have their own.
  const own = rules[language] ?? (language === 'typescript' ? rules.javascript : undefined);
  if (own === undefined) return [];
  return module.language === 'python'
    ? brokenInPython(context, module.source, own, functionName, signal)
    : brokenInJavaScript(module.source, own, functionName);
}

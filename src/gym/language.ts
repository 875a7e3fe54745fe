export const languages = ['python', 'javascript', 'typescript', 'bash'] as const;
export type Language = (typeof languages)[number];

const byExtension: Readonly<Record<string, Language>> = {
  py: 'python',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  ts: 'typescript',
  mts: 'typescript',
  sh: 'bash',
};

/** The language that a file's name says, or null. */
export function languageOfFile(path: string): Language | null {
  return byExtension[path.slice(path.lastIndexOf('.') + 1)] ?? null;
}

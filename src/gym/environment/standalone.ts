/**
 * Whether the Python source of a DeepGym verifier is a program that prints its own result, rather than the body of a function that
 * returns it. Decided on the code alone: a `return` outside of any `def` makes it a body; otherwise a main guard or any printing
 * makes it a program. Words in strings and comments count for nothing.
 */
export function isStandalone(source: string): boolean {
  const lines = logicalLines(withoutTexts(source));
  const enclosing: number[] = [];
  let guarded = false;
  let prints = false;
  for (const { indent, code } of lines) {
    while (enclosing.length > 0 && indent <= enclosing.at(-1)!) enclosing.pop();
    if (/^(async\s+)?def\b/.test(code)) enclosing.push(indent);
    else if (enclosing.length === 0 && /(^|[:;]\s*)return\b/.test(code)) return false;
    if (indent === 0 && /^if\b.*\b__name__\b/.test(code)) guarded = true;
    if (/(?<![.\w])print\s*\(|\bstdout\b|\bos\.write\s*\(/.test(code)) prints = true;
  }
  return guarded || prints;
}

/** The source with every text emptied and comments removed. Lines within a triple-quoted text are joined. */
function withoutTexts(source: string): string {
  const token =
    /#[^\n]*|[rRbBuUfF]{0,2}(?:"""(?:[^\\]|\\[\s\S])*?(?:"""|$)|'''(?:[^\\]|\\[\s\S])*?(?:'''|$)|"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?)|[A-Za-z_]\w*/g;
  return source.replaceAll('\r\n', '\n').replace(token, (found) => {
    if (found.startsWith('#')) return '';
    return /["']/.test(found) ? '""' : found;
  });
}

/** Lines with what continues them, in brackets or after a backslash. */
function logicalLines(code: string): { readonly indent: number; readonly code: string }[] {
  const lines: { indent: number; code: string }[] = [];
  let depth = 0;
  let continued = false;
  for (const line of code.split('\n')) {
    const text = line.trim();
    if (text === '' && !continued) continue;
    if (depth > 0 || continued) lines.at(-1)!.code += ` ${text}`;
    else lines.push({ indent: line.length - line.trimStart().length, code: text });
    for (const character of text) {
      if ('([{'.includes(character)) depth++;
      else if (')]}'.includes(character)) depth = Math.max(0, depth - 1);
    }
    continued = text.endsWith('\\');
  }
  return lines;
}

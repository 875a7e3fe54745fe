import { printable } from './printable.js';

/** Columns as wide as their widest cell, two spaces apart. What a terminal would obey is shown instead. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map((cell) => printable(cell).replaceAll('\n', '\\n')));
  const widths = head.map((_, column) => Math.max(...all.map((row) => [...row[column]!].length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell + ' '.repeat(widths[column]! - [...cell].length))
      .join('  ')
      .trimEnd();
  return all.map(line).join('\n');
}

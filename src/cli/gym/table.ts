/** Columns as wide as their widest cell, two spaces apart. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = rows.length > 0 ? [head, ...rows] : [head];
  const widths = head.map((_, column) => Math.max(...all.map((row) => [...row[column]!].length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell + ' '.repeat(widths[column]! - [...cell].length))
      .join('  ')
      .trimEnd();
  return all.map(line).join('\n');
}

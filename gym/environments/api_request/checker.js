export function check(_input, output, expected) {
  const served = new Set(output.service.filter((line) => line.status === 200).map((line) => line.cursor));
  const first = served.has('');
  const all = expected.cursors.every((cursor) => served.has(cursor));
  const missing = expected.cursors.filter((cursor) => !served.has(cursor)).length;
  const lines = linesOf(output.stdout);
  const right = lines.length === expected.titles.length && lines.every((line, i) => line === expected.titles[i]);
  const ended = output.exit_code === 0;
  // What is printed counts only for a script that got the data from the service.
  const printed = all && right && ended;
  return {
    checks: [
      {
        id: 'first_page',
        weight: 0.1,
        passed: first,
        message: first ? null : 'the first page was never fetched with the key',
      },
      { id: 'all_pages', weight: 0.2, passed: all, message: all ? null : `${missing} pages were never fetched` },
      {
        id: 'titles',
        weight: 0.7,
        passed: printed,
        message: printed
          ? null
          : !ended
            ? `it ended with ${output.killed_by ?? `exit code ${output.exit_code}`}`
            : right
              ? 'the titles were not taken from the service'
              : `${lines.length} lines, ${expected.titles.length} wanted; or other titles, or another order`,
      },
    ],
  };
}

/** Without the empty ones at the end. A pattern such as /\n+$/ takes for ever on a text that is nothing but line ends, and then a letter. */
function linesOf(text) {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  let end = lines.length;
  while (end > 1 && lines[end - 1] === '') end--;
  return lines.slice(0, end);
}

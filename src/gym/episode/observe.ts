/** Characters of one observation; a model reads every one of them. */
const MAX_OBSERVATION = 8000;
const HEAD = 5500;

/** A long text with its middle cut out, and how much that was. The end is kept because errors stand there. */
function capped(text: string): string {
  if (text.length <= MAX_OBSERVATION) return text;
  const tail = MAX_OBSERVATION - HEAD;
  return `${text.slice(0, HEAD)}\n[… ${text.length - MAX_OBSERVATION} characters cut …]\n${text.slice(-tail)}`;
}

/** What a command wrote, and how it ended where that was not well. */
export function describeRun(run: {
  readonly stdout: string;
  readonly stderr: string;
  readonly problem: string | null;
}): string {
  const written = [run.stdout, run.stderr].filter((text) => text !== '').map((text) => text.replace(/\n$/, ''));
  const lines = [...written, ...(run.problem === null ? [] : [`[${run.problem}]`])];
  return lines.length === 0 ? '[no output]' : capped(lines.join('\n'));
}

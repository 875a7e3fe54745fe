import type { ExecResult, SandboxLimits } from './types.js';

/** A word of POSIX shell that means exactly this text. */
export const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

export const words = (list: readonly string[]): string => list.map(quote).join(' ');

interface ExecPlan {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where it starts. */
  readonly place: string;
  /** Path of what belongs to this call: `.in`, `.out`, `.err`. */
  readonly call: string;
  readonly hasInput: boolean;
  readonly seconds: number;
  readonly limits: SandboxLimits;
  readonly ownTree: boolean;
}

/**
 * A line of POSIX shell that runs a command within limits and prints a report: `exit-code milliseconds bytes-of-stdout bytes-of-stderr`,
 * then both outputs in base64, a line each. Vendors differ in how they return output; what they all return is the text of stdout.
 */
export function execLine({ command, env, place, call, hasInput, seconds, limits, ownTree }: ExecPlan): string {
  const kept = limits.outputKb * 1024;
  const mark = `ANNEAL_CALL=${call}`;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  // Node reserves far more address space than it uses.
  const memory = /(^|\/)node$/.test(command[0] ?? '') ? '' : `ulimit -v ${limits.memoryMb * 1024}; `;
  // The first process of a tree is deaf to signals that it sends itself, so it is a shell that does nothing else.
  const tree = ownTree
    ? `unshare --user --map-root-user --pid --fork --kill-child --mount-proc sh -c ${quote('"$@"; exit $?')} sh `
    : '';
  const run =
    `cd ${quote(place)} && ${memory}ulimit -f ${limits.diskMb * 2048}; { ulimit -u ${limits.processes} || ulimit -p ${limits.processes}; } 2>/dev/null; ` +
    `exec timeout -s KILL ${seconds} ${tree}env -i PATH="$PATH" HOME=${quote(place)} LANG=C.UTF-8 ${words([mark, ...variables])} ${words(command)}`;
  return [
    't0=$(date +%s%3N)',
    `(${run}) < ${hasInput ? quote(`${call}.in`) : '/dev/null'} > ${quote(`${call}.out`)} 2> ${quote(`${call}.err`)}`,
    'code=$?',
    't1=$(date +%s%3N)',
    // What it left running in the background, unless it died with its tree.
    ownTree
      ? ':'
      : `for p in /proc/[0-9]*; do grep -qzxF ${quote(mark)} "$p/environ" 2>/dev/null && kill -9 "\${p#/proc/}" 2>/dev/null; done`,
    `echo "$code $((t1 - t0)) $(wc -c < ${quote(`${call}.out`)}) $(wc -c < ${quote(`${call}.err`)})"`,
    `head -c ${kept} ${quote(`${call}.out`)} | base64 | tr -d '\\n'; echo`,
    `head -c ${kept} ${quote(`${call}.err`)} | base64 | tr -d '\\n'; echo`,
    `rm -f ${words([`${call}.in`, `${call}.out`, `${call}.err`])}`,
  ].join('\n');
}

/** @throws Error when the text is no report */
export function parseReport(report: string, { seconds, outputKb }: { seconds: number; outputKb: number }): ExecResult {
  const [numbers = '', out = '', err = ''] = report.split('\n');
  const match = /^(\d+) (\d+) (\d+) (\d+)$/.exec(numbers);
  if (match === null) throw new Error(`the sandbox gave no report of the command but: ${report.slice(0, 200)}`);
  const [code, ms, outBytes, errBytes] = match.slice(1).map(Number) as [number, number, number, number];
  const kept = outputKb * 1024;
  const killedBy =
    outBytes + errBytes > kept
      ? 'output'
      : code === 137 && ms >= seconds * 1000 - 20
        ? 'time'
        : code === 153
          ? 'disk'
          : null;
  const text = (base64: string, length: number) =>
    new TextDecoder().decode(Buffer.from(base64, 'base64').subarray(0, Math.max(0, length)));
  const stdout = text(out, kept);
  // A shell's word for `ended by signal n` is 128 + n.
  return {
    exitCode: killedBy === null && (code <= 128 || code > 192) ? code : null,
    stdout,
    stderr: text(err, kept - Math.min(outBytes, kept)),
    killedBy,
    ms,
  };
}

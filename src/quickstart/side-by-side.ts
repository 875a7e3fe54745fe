import type { Trajectory } from '../rollout/index.js';

const WIDTH = 26;

/** Answers to the same problems in two columns, each marked right or wrong. */
export function formatSideBySide(
  pairs: readonly { readonly before: Trajectory; readonly after: Trajectory }[],
): string {
  return pairs.map(({ before, after }) => [question(before), ...columns(before, after)].join('\n')).join('\n\n');
}

function question({ prompt }: Trajectory): string {
  return typeof prompt === 'string' ? prompt : (prompt.at(-1)?.content ?? '');
}

function columns(before: Trajectory, after: Trajectory): string[] {
  const left = ['before', ...before.text.trim().split('\n'), verdict(before)];
  const right = ['after', ...after.text.trim().split('\n'), verdict(after)];
  const rows = Math.max(left.length, right.length);
  return Array.from({ length: rows }, (_, row) =>
    `  ${(left[row] ?? '').padEnd(WIDTH)}  ${right[row] ?? ''}`.trimEnd(),
  );
}

function verdict({ verdict: judged }: Trajectory): string {
  if (judged.kind === 'noVerdict') return '(no verdict)';
  return judged.reward >= 1 ? '(right)' : '(wrong)';
}

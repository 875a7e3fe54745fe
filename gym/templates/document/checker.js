/** `output` is `{text}`, the answer; it is read, never run. Returns a bool, a number or {score, passed, message, checks}. */
export function check(input, output, expected) {
  let answer;
  try {
    answer = JSON.parse(output.text);
  } catch {
    return { passed: false, message: 'no JSON' };
  }
  const path = answer?.path === expected.path;
  return {
    checks: [
      { id: 'path', weight: 0.5, passed: path, message: path ? null : 'another path is slower' },
      { id: 'mean', weight: 0.5, passed: path && Math.abs(answer.mean_ms - expected.mean_ms) <= 1, message: null },
    ],
  };
}

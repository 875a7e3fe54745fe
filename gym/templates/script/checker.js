/** `output`: stdout, stderr, exit_code, killed_by and the files of the work directory. Returns a bool, a number or {score, passed, message, checks}. */
export function check(input, output, expected) {
  const written = output.files['open.txt']?.text?.trim();
  if (written === undefined) return { passed: false, message: 'there is no open.txt' };
  if (written !== String(expected)) return { passed: false, message: `open.txt says ${written}` };
  return { passed: output.stdout === '', message: output.stdout === '' ? null : 'it printed something' };
}

export function check(input, output, { project, after, moved }) {
  const prefix = `${project}/`;
  const before = Object.fromEntries(Object.entries(input.files).map(([path, text]) => [path.slice(prefix.length), text]));
  const found = Object.fromEntries(
    Object.entries(output.files)
      .filter(([path]) => path.startsWith(prefix))
      .map(([path, file]) => [path.slice(prefix.length), file]),
  );
  const textAt = (path) => (Object.hasOwn(found, path) ? found[path].text : undefined);

  const arrived = Object.keys(after).filter((path) => !Object.hasOwn(before, path) && path !== 'README.md');
  const right = arrived.filter((path) => {
    const source = path.slice(path.indexOf('/') + 1);
    return textAt(path) === after[path] && !Object.hasOwn(found, source);
  });
  const fraction = right.length / moved;
  // Leaving alone what must be left alone, and the words printed, count only once the work is done.
  const done = fraction === 1;
  const stayed = Object.keys(after).filter((path) => Object.hasOwn(before, path));
  const extra = Object.entries(found).filter(([path, file]) => !file.directory && !Object.hasOwn(after, path));
  const untouched = done && extra.length === 0 && stayed.every((path) => textAt(path) === after[path]);
  const directories = ['src', 'tests', 'docs'].every((name) => found[name]?.directory);
  const readme = done && directories && textAt('README.md')?.trimEnd() === after['README.md'].trimEnd();
  const printed = done && output.exit_code === 0 && output.stdout.trim().split('\n').at(-1) === `moved ${moved}`;
  const say = (passed, message) => (passed ? null : message);
  return {
    score: 0.6 * fraction + (untouched ? 0.2 : 0) + (readme ? 0.1 : 0) + (printed ? 0.1 : 0),
    passed: done && untouched && readme && printed,
    checks: [
      { id: 'moved', weight: 0.6, passed: done, message: say(done, `${right.length} of ${moved} files moved rightly`) },
      { id: 'untouched', weight: 0.2, passed: untouched, message: say(untouched, 'something else was changed, lost or added') },
      { id: 'readme', weight: 0.1, passed: readme, message: say(readme, 'README.md or a directory is missing or wrong') },
      { id: 'printed', weight: 0.1, passed: printed, message: say(printed, `it did not end with "moved ${moved}"`) },
    ],
  };
}

import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';

// The repository is read here, byte by byte: git itself would run what the answer may have put into its configuration and hooks.

const OBJECT_BYTES = 1 << 20;
// A tree can name another ten times, and that one ten more: what there is to read of a repository that is small on disk has no end.
const MOST_OBJECTS = 500;
const MOST_BYTES = 8 << 20;

function bytesOf(file) {
  if (file?.text !== undefined) return Buffer.from(file.text, 'utf8');
  return file?.base64 === undefined ? null : Buffer.from(file.base64, 'base64');
}

function openRepository(files, directory) {
  const at = (path) => (Object.hasOwn(files, `${directory}/${path}`) ? files[`${directory}/${path}`] : undefined);
  const packedRefs = new Map(
    (at('.git/packed-refs')?.text ?? '')
      .split('\n')
      .filter((line) => /^[0-9a-f]{40} /.test(line))
      .map((line) => [line.slice(41), line.slice(0, 40)]),
  );

  const read = { objects: 0, bytes: 0 };

  function object(id) {
    if (++read.objects > MOST_OBJECTS || read.bytes > MOST_BYTES) throw new Error('the repository holds more than was asked for');
    if (!/^[0-9a-f]{40}$/.test(id ?? '')) throw new Error('there is no such commit');
    const packed = bytesOf(at(`.git/objects/${id.slice(0, 2)}/${id.slice(2)}`));
    if (packed === null) throw new Error(`object ${id.slice(0, 8)} is missing, or packed: only loose objects are read`);
    const data = inflateSync(packed, { maxOutputLength: OBJECT_BYTES });
    read.bytes += data.length;
    if (createHash('sha1').update(data).digest('hex') !== id) throw new Error(`object ${id.slice(0, 8)} is broken`);
    const zero = data.indexOf(0);
    return { type: data.subarray(0, zero).toString().split(' ')[0], body: data.subarray(zero + 1) };
  }

  function commit(id) {
    const { type, body } = object(id);
    if (type !== 'commit') throw new Error(`${id.slice(0, 8)} is a ${type}, not a commit`);
    const text = body.toString('utf8');
    const gap = text.indexOf('\n\n');
    const lines = text.slice(0, gap).split('\n');
    const all = (key) => lines.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));
    return {
      tree: all('tree')[0],
      parents: all('parent'),
      people: [...all('author'), ...all('committer')].map((line) => line.slice(0, line.lastIndexOf('>') + 1)),
      message: text.slice(gap + 2).trim(),
    };
  }

  function tree(id, prefix = '', depth = 0) {
    const { type, body } = object(id);
    if (type !== 'tree' || depth > 20) throw new Error(`${id.slice(0, 8)} is no tree`);
    const found = Object.create(null);
    for (let i = 0; i < body.length; ) {
      const space = body.indexOf(0x20, i);
      const zero = body.indexOf(0, space);
      if (space < i || zero < space) throw new Error(`${id.slice(0, 8)} is no tree`);
      const mode = body.subarray(i, space).toString();
      const path = prefix + body.subarray(space + 1, zero).toString('utf8');
      const child = body.subarray(zero + 1, zero + 21).toString('hex');
      i = zero + 21;
      if (mode === '40000') Object.assign(found, tree(child, `${path}/`, depth + 1));
      else found[path] = mode === '100644' ? object(child).body.toString('utf8') : `mode ${mode}`;
    }
    return found;
  }

  const ref = (name) => at(`.git/${name}`)?.text?.trim() ?? packedRefs.get(name);
  /** The commit of a tag, plain or annotated. */
  const tagged = (name) => {
    const id = ref(`refs/tags/${name}`);
    const { type, body } = object(id);
    return type === 'tag' ? /^object ([0-9a-f]{40})/.exec(body.toString('utf8'))?.[1] : id;
  };
  return { head: at('.git/HEAD')?.text?.trim(), at, ref, commit, tree, tagged };
}

const same = (a, b) => JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());

export function check(input, output, wanted) {
  const repository = openRepository(output.files, input.env.REPO_DIR.replace('{{work}}/', ''));
  const checks = [];
  const passed = (id) => checks.find((one) => one.id === id)?.passed === true;
  const test = (id, weight, needs, problem) => {
    let message;
    try {
      const missing = needs.find((need) => !passed(need));
      message = missing === undefined ? problem() : `needs ${missing}`;
    } catch (error) {
      message = error.message;
    }
    checks.push({ id, weight, passed: message === null, message });
  };
  const person = `${wanted.AUTHOR_NAME} <${wanted.AUTHOR_EMAIL}>`;
  const readme = { 'README.md': `# ${wanted.PROJECT}\n` };
  const both = { ...readme, [wanted.FILE_NAME]: `${wanted.FILE_TEXT}\n` };
  const main = () => repository.ref('refs/heads/main');
  const branch = () => repository.ref(`refs/heads/${wanted.BRANCH}`);

  test('main', 0.2, [], () => {
    const { tree, parents, message, people } = repository.commit(main());
    if (parents.length > 0) return 'main has more than one commit';
    if (!same(repository.tree(tree), readme)) return 'the first commit holds something else than README.md';
    if (message !== `Start ${wanted.PROJECT}`) return 'the first commit has another message';
    return people.every((one) => one === person) ? null : 'the first commit has another author';
  });
  test('branch', 0.25, ['main'], () => {
    const { parents } = repository.commit(branch());
    return parents.length === 1 && parents[0] === main() ? null : 'the branch is not one commit ahead of main';
  });
  test('content', 0.2, ['branch'], () =>
    same(repository.tree(repository.commit(branch()).tree), both) ? null : 'the commit holds other files or texts',
  );
  test('message', 0.1, ['branch'], () => {
    const { message, people } = repository.commit(branch());
    if (message !== wanted.COMMIT_MESSAGE) return 'the commit has another message';
    return people.every((one) => one === person) ? null : 'the commit has another author';
  });
  test('tag', 0.1, ['main'], () => (repository.tagged(wanted.TAG) === main() ? null : 'the tag is on another commit'));
  test('checked_out', 0.1, ['content'], () => {
    if (repository.head !== `ref: refs/heads/${wanted.BRANCH}`) return 'HEAD is not on the branch';
    const clean = Object.entries(both).every(([path, text]) => repository.at(path)?.text === text);
    return clean ? null : 'the files differ from the commit';
  });
  test('printed', 0.05, ['content'], () =>
    output.exit_code === 0 && output.stdout.trim().split('\n').at(-1) === 'done' ? null : 'it did not end with "done"',
  );
  return { checks };
}

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRunner } from '../../../src/gym/runner/index.js';
import { openLocalRunner } from '../../../src/gym/runner/local-runner.js';
import type { Runner } from '../../../src/gym/runner/types.js';
import { openSandboxes } from '../../../src/gym/sandbox/index.js';
import type { Value } from '../../../src/gym/value.js';
import { describeIsolatedPython, hasBubblewrap, hasPython } from '../support.js';
import { job, outcomes, ownProcesses, processesWith, short } from './jobs.js';

const modes = { nested: 'nested', 'one sandbox each': 'single' } as const;

for (const [title, mode] of Object.entries(modes)) {
  describeIsolatedPython(`Python answers, ${title}`, () => {
    let runner: Runner;
    beforeAll(async () => {
      runner = openLocalRunner({ sandboxes: await openSandboxes('local'), workers: 1, python: mode });
    });
    afterAll(() => runner.dispose());
    const run = (source: string, calls: readonly (readonly Value[])[] = [[]], changed = {}) =>
      runner.run(job('python', source, calls, changed));
    const value = async (source: string, ...given: Value[]) => outcomes(await run(source, [given]))[0];

    it('calls a function in order, in one process', async () => {
      const result = await run('seen = []\ndef f(x):\n  seen.append(x)\n  return list(seen)', [[1], [2], [3]]);
      expect(result).toMatchObject({ kind: 'ran', problem: null, outOfTime: false });
      expect(outcomes(result)).toEqual([[1], [1, 2], [1, 2, 3]]);
    });

    it('gives each call copies of its own', async () => {
      const calls = [[[1, 2]], [[1, 2]]];
      expect(outcomes(await run('def f(x):\n  x.append(3)\n  return x', calls))).toEqual([
        [1, 2, 3],
        [1, 2, 3],
      ]);
    });

    it('carries values both ways as they are', async () => {
      const values: Value[] = [
        null,
        true,
        1,
        0,
        -(2 ** 53) + 1,
        'text \u0000 \ud800 \u{1f600}',
        { i: `1${'0'.repeat(5000)}` },
        { f: '1.0' },
        { f: '-0.0' },
        { f: 'nan' },
        { f: '-inf' },
        { f: '1e+300' },
        [1, [true, [null]]],
        { t: [1, { t: [] }, [2]] },
        { s: [{ t: [1, 2] }] },
        {
          d: [
            [1, 'a'],
            [{ t: [1, 2] }, []],
            ['k', { d: [] }],
            [null, { f: '2.5' }],
          ],
        },
        { b: 'AP8=' },
      ];
      const result = await run(
        'def f(x): return x',
        values.map((x) => [x]),
      );
      expect(outcomes(result)).toEqual(values);
    });

    it('sees through subclasses to what they are made of', async () => {
      const source = `
import collections, enum
class Liar(int):
    def __repr__(self): return '7'
    def __add__(self, other): return 7
class List(list):
    def __iter__(self): return iter([9])
class Str(str):
    def __str__(self): return 'other'
P = collections.namedtuple('P', 'x y')
class E(enum.IntEnum): A = 3
def f(): return [Liar(3), List([1]), Str('a'), P(1, 2), E.A, collections.Counter('aa'), collections.OrderedDict(a=1), bytearray(b'x'), frozenset([1])]`;
      expect(await value(source)).toEqual([
        3,
        [1],
        'a',
        { t: [1, 2] },
        3,
        { d: [['a', 2]] },
        { d: [['a', 1]] },
        { b: 'eA==' },
        { s: [1] },
      ]);
    });

    it.each([
      ['object()', 'TypeError: cannot return a object'],
      ['(i for i in [1])', 'TypeError: cannot return a generator: it is an iterator; return a list'],
      ['map(str, [])', 'TypeError: cannot return a map: it is an iterator; return a list'],
      ['[f]', 'TypeError: cannot return a function'],
      ['1j', 'TypeError: cannot return a complex'],
      ['range(3)', 'TypeError: cannot return a range'],
    ])('does not take %s for an answer', async (expression, message) => {
      expect(await value(`def f(): return ${expression}`)).toBe(`error ${message}`);
    });

    it('does not follow cycles, depths and widths without end', async () => {
      const source = `
def f(kind):
    a = []
    if kind == 'cycle': a.append(a)
    if kind == 'deep':
        for _ in range(100000): a = [a]
    if kind == 'wide':
        for _ in range(30): a = [a, a]
    if kind == 'digits': return 1 << 10 ** 8
    return a`;
      const result = await run(source, [['cycle'], ['deep'], ['wide'], ['digits']], { caseSeconds: 20 });
      expect(outcomes(result)).toEqual([
        'error TypeError: cannot return a value that contains itself',
        'error TypeError: cannot return a value nested deeper than 200',
        expect.stringMatching(/^error TypeError: cannot return more than \d+ values$/),
        expect.stringMatching(/^error TypeError: cannot return an int of more than \d+ bits$/),
      ]);
    });

    it('says what was raised', async () => {
      const source = `
class Odd(Exception):
    def __str__(self): raise KeyError('no')
def f(x):
    if x == 0: return 1 // x
    if x == 1: raise SystemExit(3)
    if x == 2: raise Odd()
    if x == 3: raise KeyboardInterrupt()
    return x`;
      expect(outcomes(await run(source, [[0], [1], [2], [3], [4]]))).toEqual([
        'error ZeroDivisionError: integer division or modulo by zero',
        'error SystemExit: 3',
        'error Exception: an exception that cannot be described',
        'error KeyboardInterrupt: ',
        4,
      ]);
    });

    it.each([
      ['def f(:', 'load-failed', /^SyntaxError: .* \(line 1\)$/],
      ['raise ValueError("no")', 'load-failed', /^ValueError: no$/],
      ['import nothing_of_that_name', 'load-failed', /^ModuleNotFoundError: /],
      ['import os; os._exit(4)', 'load-failed', /^importing it ended the process \(exit code 4\)$/],
      ['def f(): pass\0', 'load-failed', /null bytes/],
      ['x = "\ud800"', 'load-failed', /^UnicodeEncodeError: /],
      ['import os; os.write(3, b"[]\\n")', 'load-failed', /^wrote rubbish to the channel$/],
      ['f = 3', 'no-function', /^null$/],
    ])('tells a module that cannot be used: %j', async (source, kind, problem) => {
      const result = await run(source);
      expect(result.kind).toBe(kind);
      expect(result.calls).toEqual([]);
      expect(String(result.problem)).toMatch(problem);
    });

    it('loads an answer of 10 MB', async () => {
      expect(await value(`x = "${'a'.repeat(10e6)}"\ndef f(): return len(x)`)).toBe(10e6);
    });

    it('kills a call that takes too long, and makes the others', async () => {
      const result = await run('def f(x):\n  while x == 2: pass\n  return x', [[1], [2], [3]], short);
      expect(outcomes(result)).toEqual([1, 'timeout', 3]);
      expect(result.outOfTime).toBe(false);
    });

    it('stops when the total time is over', async () => {
      const source = 'import time\ndef f(x): time.sleep(0.4); return x';
      const result = await run(source, [[1], [2], [3], [4], [5], [6], [7], [8]], { caseSeconds: 5, totalSeconds: 1 });
      expect(result.outOfTime).toBe(true);
      expect(result.calls).toHaveLength(8);
      expect(outcomes(result).at(-1)).toBe('timeout');
    });

    it('tells how a process ended, and makes the other calls', async () => {
      const source = `
import ctypes, os
def f(x):
    if x == 1: os._exit(3)
    if x == 2: os.abort()
    if x == 3: ctypes.string_at(0)
    return x`;
      expect(outcomes(await run(source, [[0], [1], [2], [3], [4]]))).toEqual([
        0,
        'crash exit code 3',
        // Process 1 of a namespace is deaf to its own signals, and then falls into what follows.
        expect.stringMatching(/^crash killed by SIG(ABRT|SEGV)$/),
        'crash killed by SIGSEGV',
        4,
      ]);
    });

    it('takes rubbish on the channel for a crash of that call', async () => {
      const source = `
import os
def f(x):
    if x == 1: os.write(3, b'junk\\n')
    if x == 2: os.write(3, b'["v", {"q": 1}, 0]\\n')
    if x == 3: os.write(3, b'["v", ' + b'[' * 100000 + b']' * 100000 + b', 0]\\n')
    if x == 4: os.write(3, b'\\xff\\x00\\n')
    if x == 5: os.close(3)
    return x`;
      const result = outcomes(await run(source, [[0], [1], [2], [3], [4], [5], [6]]));
      expect(result[0]).toBe(0);
      for (const outcome of result.slice(1, 5)) expect(outcome).toBe('crash wrote rubbish to the channel');
      expect(result[5]).toMatch(/^crash exit code/);
      expect(result[6]).toBe(6);
    });

    it('takes no value that whoever reads it would choke on', async () => {
      const source = `
import os
def f(kind):
    values = {
        'deep': b'[' * 5000 + b']' * 5000,
        'digits': b'{"i": "' + b'9' * 4000000 + b'"}',
        'parts': b'[' + b'[],' * 5000000 + b'1]',
        'texts': b'["' + b',[' * 5000000 + b'"]',
    }
    data = memoryview(b'["v",' + values[kind] + b', 1]\\n')
    while data: data = data[os.write(3, data):]`;
      for (const kind of ['deep', 'digits', 'parts']) {
        expect(outcomes(await run(source, [[kind]]))).toEqual(['crash wrote rubbish to the channel']);
      }
      const [text] = outcomes(await run(source, [['texts']])) as string[][];
      expect(text?.[0]).toHaveLength(10_000_000);
    });

    it('does not read a flood on the channel to its end', async () => {
      const source = 'import os\ndef f():\n  while True: os.write(3, b"x" * 65536)';
      expect(await value(source)).toBe('crash wrote too much to the channel');
    });

    it('keeps the start of what is printed', async () => {
      const source =
        'import sys\ndef f():\n  print("start")\n  sys.stderr.write("e" * 10**6)\n  print("x" * 10**7)\n  return 1';
      const result = await run(source, [[]], { outputKb: 2 });
      expect(outcomes(result)).toEqual([1]);
      expect(result.stdout).toMatch(/^start\nx+$/);
      expect(result.stdout.length).toBe(2048);
      expect(result.stderr.length).toBe(2048);
    });

    it('does not wait for output without end', async () => {
      const result = await run('def f():\n  while True: print("x" * 1000)', [[]], short);
      expect(outcomes(result)).toEqual(['timeout']);
    });

    it('bounds the memory of a process, and of all together', async () => {
      const one = 'def f(): return len(bytearray(10**9))';
      expect(await value(one)).toBe('error MemoryError: ');
      const many = `
import os, time
def f():
    for _ in range(8):
        if os.fork() == 0:
            held = b'x' * (100 << 20)
            time.sleep(60)
    time.sleep(60)`;
      expect(outcomes(await run(many, [[]], { caseSeconds: 20 }))).toEqual(['crash memory limit']);
    });

    it('bounds the number of processes', async () => {
      const source = `
import os, time
def f():
    n = 0
    try:
        while n < 1000:
            if os.fork() == 0: time.sleep(60)
            n += 1
    except OSError: pass
    return n`;
      const made = await value(source);
      expect(made).toBeGreaterThan(8);
      expect(made).toBeLessThanOrEqual(16);
    });

    it('leaves nothing of an answer to the next one', async () => {
      const source = `
import os, sys, builtins
def f():
    found = [os.path.join(d, n) for d in ('/work', '/tmp', '/dev/shm') for n in os.listdir(d)]
    for directory in ('/work', '/tmp', '/dev/shm', '/', '/dev', '/anneal', '/usr', '/etc', '/proc', '/var/tmp'):
        try: open(os.path.join(directory, 'mark'), 'w').write('seen')
        except OSError: pass
    builtins.mark = sys.mark = 1
    os.environ['MARK'] = '1'
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            import time
            while True: time.sleep(1)
    return found`;
      await value(source);
      const look = `
import os, sys, builtins
def f():
    found = [d for d in ('/work', '/tmp', '/dev/shm', '/', '/dev', '/anneal', '/usr', '/etc', '/var/tmp') if os.path.exists(os.path.join(d, 'mark'))]
    return [found, hasattr(builtins, 'mark'), hasattr(sys, 'mark'), 'MARK' in os.environ, os.getpid()]`;
      const again = (await value(look)) as Value[];
      expect(again.slice(0, 4)).toEqual([[], false, false, false]);
      // The first of its namespace, so that it was alone.
      expect(again[4]).toBe(mode === 'nested' ? 1 : again[4]);
    });

    it('leaves nothing of an answer in the memory of the next one', async () => {
      const secret = 'the_answer_of_someone_else_9471';
      await value(`kept = "${secret}"\ndef f(x): print(kept, x); return [kept, x]`, `${secret} in an argument`);
      const hidden = [...Buffer.from(secret)].map((byte) => byte ^ 1).join(', ');
      const source = `
import ctypes, os
libc = ctypes.CDLL(None)
libc.sbrk.restype = ctypes.c_void_p
libc.write.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
flipped = bytes(byte ^ 1 for byte in range(256))
read_end, write_end = os.pipe()
def holds(needle, start, end):
    # a kernel that cannot read a page says so; the needle itself is never in memory as it is
    last = b''
    for page in range(start & ~4095, end, 4096):
        if libc.write(write_end, page, 4096) != 4096:
            last = b''
            continue
        content = os.read(read_end, 4096).translate(flipped)
        if needle in last[-64:] + content: return True
        last = content
    return False
def f(plain):
    needle = bytes([${hidden}])
    top = libc.sbrk(0)
    places = [(top - (24 << 20), top), (id([]) - (16 << 20), id([]) + (16 << 20)), (id(b'' * 2) - (8 << 20), id(b'' * 2) + (8 << 20))]
    own = bytes(byte ^ 1 for byte in bytearray(plain, 'ascii'))
    return [any(holds(own, *place) for place in places), any(holds(needle, *place) for place in places)]`;
      const result = await run(source, [['its own argument, 1234567890']], { caseSeconds: 60, totalSeconds: 90 });
      // Its own is found, so that the search works.
      expect(outcomes(result)).toEqual([[true, false]]);
    });

    it('shows an answer no descriptor, argument, process or name but its own', async () => {
      const source = `
import os, sys, gc
def f():
    open_ones = []
    for number in range(256):
        try: os.fstat(number); open_ones.append(number)
        except OSError: pass
    main = [n for n in vars(sys.modules['__main__']) if not n.startswith('__')]
    return [open_ones, sys.argv, main, __name__, sorted(os.environ)]`;
      expect(await value(source)).toEqual([[0, 1, 2, 3], [''], [], 'answer', ['HOME', 'LANG', 'PATH', 'TMPDIR']]);
    });

    it('gives an answer no rights to reach out', async () => {
      const source = `
import ctypes, os, resource, socket
libc = ctypes.CDLL(None, use_errno=True)
def f():
    reached = []
    capabilities = (ctypes.c_uint32 * 6)()
    libc.capget((ctypes.c_uint32 * 2)(0x20080522, 0), capabilities)
    if any(capabilities): reached.append('capabilities')
    if libc.prctl(39, 0, 0, 0, 0) != 1: reached.append('programs with privileges')
    if libc.prctl(21, 0, 0, 0, 0) != 2: reached.append('all system calls')
    if libc.unshare(0x10000000) == 0: reached.append('a user namespace')
    if libc.mount(b'tmpfs', b'/tmp', b'tmpfs', 0, None) == 0: reached.append('mount')
    if libc.ptrace(16, 1, 0, 0) == 0: reached.append('ptrace')
    for pid in {1, os.getppid()} - {os.getpid(), 0}:
        for name in ('mem', 'environ', 'maps', 'fd/3'):
            try: os.open('/proc/%d/%s' % (pid, name), os.O_RDONLY); reached.append(name)
            except OSError: pass
        try: resource.prlimit(pid, resource.RLIMIT_AS, (0, 0)); reached.append('limits of others')
        except OSError: pass
    try: socket.create_connection(('1.1.1.1', 53), timeout=1); reached.append('network')
    except OSError: pass
    return reached`;
      expect(await value(source)).toEqual([]);
    });

    it('is as good as before after an answer that kills all it can reach', async () => {
      const result = await run('import os\ndef f(x):\n  if x: os.kill(-1, 9)\n  return x', [[0], [1], [0]]);
      // Where it can reach the one who listens to it, what it said before may be lost.
      if (mode === 'nested') expect(result.calls).toHaveLength(3);
      expect(await value('def f(): return 1')).toBe(1);
    });
  });
}

describeIsolatedPython('a runner of Python answers', () => {
  it('ends everything that it started', async () => {
    const before = ownProcesses();
    const runner = await openRunner({ sandbox: 'local', workers: 2 });
    const mark = `mark${process.pid}x`;
    const source = `
import os, sys
def f():
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            os.execv('/bin/sleep', ['${mark}', '1000'])
    return 1`;
    const running = [1, 2, 3].map(() => runner.run(job('python', source, [[]])));
    for (const result of await Promise.all(running)) expect(outcomes(result)).toEqual([1]);
    expect(processesWith(mark)).toEqual([]);
    await runner.dispose();
    expect(ownProcesses().filter((pid) => !before.includes(pid))).toEqual([]);
    await expect(runner.run(job('python', 'def f(): pass', [[]]))).rejects.toThrow('disposed');
  });

  it('stops a job when it is aborted', async () => {
    const runner = await openRunner({ sandbox: 'local', workers: 1 });
    const controller = new AbortController();
    const endless = runner.run(job('python', 'def f():\n  while True: pass', [[]]), controller.signal);
    const waiting = runner.run(job('python', 'def f(): return 1', [[]]), controller.signal);
    const other = runner.run(job('python', 'def f(): return 2', [[]]));
    controller.abort(new Error('enough'));
    const settled = await Promise.allSettled([endless, waiting]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(outcomes(await other)).toEqual([2]);
    await runner.dispose();
  });

  it('takes a killed sandbox for a failure of the sandbox, and goes on with another', async () => {
    const runner = await openRunner({ sandbox: 'local', workers: 1 });
    expect(outcomes(await runner.run(job('python', 'def f(): return 1', [[]])))).toEqual([1]);
    const servers = ownProcesses();
    const failing = runner.run(job('python', 'def f():\n  while True: pass', [[]]));
    for (const pid of servers) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // it ended with another
      }
    }
    await expect(failing).rejects.toMatchObject({ name: 'SandboxError', retryable: true });
    expect(outcomes(await runner.run(job('python', 'def f(): return 3', [[]])))).toEqual([3]);
    await runner.dispose();
  });

  it('runs trusted sources apart from answers', async () => {
    const runner = await openRunner({ sandbox: 'local', workers: 1 });
    const source = 'def f(x): return x + 1';
    for (const trusted of [true, false, true]) {
      expect(outcomes(await runner.run({ ...job('python', source, [[1]]), trusted }))).toEqual([2]);
    }
    await runner.dispose();
  });
});

it.skipIf(hasBubblewrap && hasPython)('says what is missing', async () => {
  const runner = await openRunner({ sandbox: 'local', workers: 1 });
  await expect(runner.run(job('python', 'def f(): pass', [[]]))).rejects.toMatchObject({ name: 'SandboxError' });
  await runner.dispose();
});

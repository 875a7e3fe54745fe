import { afterAll, beforeAll, expect, it } from 'vitest';
import { environmentFromDeepGym } from '../../../src/gym/environment/index.js';
import type { Environment } from '../../../src/gym/environment/types.js';
import { openSandboxes } from '../../../src/gym/sandbox/index.js';
import type { SandboxProvider } from '../../../src/gym/sandbox/types.js';
import type { Scored } from '../../../src/gym/verdict.js';
import { lastObject, readResult } from '../../../src/gym/verify/deepgym-result.js';
import { VerifierError, verify } from '../../../src/gym/verify/index.js';
import { fakeContext, fakeRunner, testCases } from '../make-environment.js';
import { describeIsolatedPython } from '../support.js';

let sandboxes: SandboxProvider;
beforeAll(async () => {
  sandboxes = await openSandboxes('local');
});
afterAll(async () => {
  await sandboxes.dispose();
});

const environment = (verifier: string, more: object = {}) =>
  environmentFromDeepGym({ task: 'Double it.', verifier_code: verifier, timeout: 10, ...more });

async function judge(of: Environment | string, answer: string): Promise<Scored> {
  const context = { ...fakeContext(fakeRunner(() => null)), sandboxes };
  return verify(context, typeof of === 'string' ? environment(of) : of, testCases([]), answer, 'python');
}

const double = 'def double(n):\n    return 2 * n\n';
const load = `import importlib.util
spec = importlib.util.spec_from_file_location("solution", solution_path)
solution = importlib.util.module_from_spec(spec)
spec.loader.exec_module(solution)
`;
const body = `${load}return all(solution.double(n) == 2 * n for n in range(5))`;

/** A program in the manner of those that DeepGym comes with. */
const standalone = `import importlib.util, json, sys

def main():
    solution_path = sys.argv[1]
    try:
${load.replace(/^/gm, '        ')}
    except Exception as error:
        print(json.dumps({"score": 0.0, "passed": False, "details": "Import error: %s" % error, "cases": []}))
        return
    cases = []
    for n in range(5):
        try:
            got, error = solution.double(n), None
        except Exception as caught:
            got, error = None, "%s: %s" % (type(caught).__name__, caught)
        cases.append({"id": "test_%d" % n, "passed": got == 2 * n, "score": float(got == 2 * n), "input_summary": repr(n),
                      "expected_summary": repr(2 * n), "actual_summary": repr(got), "error": error, "execution_time_ms": 0.5})
    passed = sum(case["passed"] for case in cases)
    print("that was it {")
    print(json.dumps({"schema_version": "1.0", "score": passed / 5, "passed": passed == 5, "details": "%d/5" % passed,
                      "cases": cases, "reward_components": {"correctness": passed / 5}, "metrics": {"n": 5}, "seed": 42}))

if __name__ == "__main__":
    main()
`;

describeIsolatedPython('a DeepGym verifier', () => {
  it('that is a program gives its verdict with the last line of JSON', async () => {
    const verdict = await judge(standalone, double);
    expect(verdict).toMatchObject({
      kind: 'scored',
      score: 1,
      passed: true,
      details: '5/5',
      rewardComponents: { correctness: 1 },
      metrics: { n: 5, seed: 42 },
      truncated: false,
    });
    expect(verdict.cases[3]).toEqual({
      id: 'test_3',
      passed: true,
      score: 1,
      input: '3',
      expected: '6',
      actual: '6',
      error: null,
      ms: 0.5,
    });
    const wrong = await judge(standalone, 'def double(n):\n    return {1: 2}[n]\n');
    expect(wrong).toMatchObject({ score: 0.2, passed: false });
    expect(wrong.cases[0]?.error).toBe('KeyError: 0');
    expect((await judge(standalone, 'def double(n) return')).details).toMatch(/^Import error: .*line 1/);
  });

  it.each([
    ['True', 1, true],
    ['False', 0, false],
    ['0.5', 0.5, true],
    ['0.25', 0.25, false],
    ['7', 1, true],
    ['-1', 0, false],
    ["{'score': 0.75, 'passed': True, 'details': 'well', 'seed': 1}", 0.75, true],
    ["{'score': 0.75}", 0.75, false],
    ['{}', 0, false],
    ['None', 0, false],
    ["'yes'", 0, false],
  ])('whose body returns %s scores %d', async (returned, score, passed) => {
    expect(await judge(`return ${returned}`, double)).toMatchObject({ score, passed });
  });

  it.each(["float('nan')", "{'score': float('nan')}", "{'score': 'high'}"])(
    'whose body returns %s gives no verdict',
    async (returned) => {
      await expect(judge(`return ${returned}`, double)).rejects.toThrow(VerifierError);
    },
  );

  it('keeps its texts over several lines, and words in them mean nothing', async () => {
    const text = `text = """a
  __name__ json.dumps
b"""
x = lambda: 1
name = type(x).__name__
import json
json.dumps(name)
return text == "a\\n  __name__ json.dumps\\nb"`;
    expect((await judge(text, double)).score).toBe(1);
  });

  it('gets its test cases, arguments and variables', async () => {
    const verifier = `import json, os, sys
cases = json.load(open(test_cases_path))
assert sys.argv[1:] == [solution_path, test_cases_path]
namespace = {}
exec(open(solution_path).read(), namespace)
return {"score": sum(namespace["double"](one["n"]) == one["twice"] for one in cases) / len(cases), "details": os.environ["MODE"]}`;
    const of = environment(verifier, {
      test_cases: [
        { n: 1, twice: 2 },
        { n: 2, twice: 5 },
      ],
      env_vars: { MODE: 'strict' },
    });
    expect(await judge(of, double)).toMatchObject({ score: 0.5, details: 'strict' });
  });

  it.each([
    ['spec_from_file_location', body],
    [
      'import',
      'import os, sys\nsys.path.insert(0, os.path.dirname(solution_path))\nimport solution\nreturn solution.double(3) == 6',
    ],
    ['from … import', 'from solution import double\nreturn double(3) == 6'],
    ['runpy', 'import runpy\nreturn runpy.run_path(solution_path)["double"](3) == 6'],
    ['exec of its text', 'names = {}\nexec(open(solution_path).read(), names)\nreturn names["double"](3) == 6'],
    ['exec with locals', 'names = {}\nexec(open(solution_path).read(), {}, names)\nreturn names["double"](3) == 6'],
    [
      'compile',
      'names = {}\nexec(compile(open(solution_path).read(), "x", "exec"), names)\nreturn names["double"](3) == 6',
    ],
    [
      'its parsed tree',
      'import ast\nnames = {}\nexec(compile(ast.parse(open(solution_path).read()), "x", "exec"), names)\nreturn names["double"](3) == 6',
    ],
    [
      'its text before tests',
      'exec("import math\\n" + open(solution_path).read() + "\\nassert double(3) == 6", {})\nreturn True',
    ],
    [
      'SourceFileLoader',
      'from importlib.machinery import SourceFileLoader\nreturn SourceFileLoader("s", solution_path).load_module().double(3) == 6',
    ],
  ])('may load the answer by %s, and does not run it itself', async (_name, verifier) => {
    expect((await judge(verifier, double)).score).toBe(1);
    // Would end the verifier, were it run there.
    const ended = await judge(verifier, `import os\nos._exit(0)\n${double}`);
    expect(ended).toMatchObject({ score: 0, details: "RuntimeError: the answer's process ended: exit code 0" });
  });

  it('may read the source of the answer', async () => {
    const verifier = `${load}import ast, inspect
source = inspect.getsource(solution.double)
assert source in open(solution_path).read() and ast.parse(source)
return source.startswith("def double") and "*" in inspect.getsource(solution)`;
    expect((await judge(verifier, `import os\n\n\n${double}`)).score).toBe(1);
  });

  it('may run it as a program, with files that both see', async () => {
    const verifier = `import os, subprocess, sys, tempfile
folder = tempfile.mkdtemp()
open(os.path.join(folder, "in.txt"), "w").write("7")
done = subprocess.run([sys.executable, solution_path], cwd=folder, input="x", capture_output=True, text=True, timeout=5, env=dict(os.environ, OUT=folder))
late = None
try:
    subprocess.run("sleep 20", shell=True, timeout=0.2)
except subprocess.TimeoutExpired:
    late = True
return done.stdout == "7x\\n" and done.returncode == 3 and sorted(os.listdir(folder)) == ["out.txt"] and late`;
    const answer = `import os, sys
print(open("in.txt").read() + sys.stdin.read())
open(os.environ["OUT"] + "/out.txt", "w").close()
os.remove("in.txt")
sys.exit(3)`;
    expect((await judge(verifier, answer)).score).toBe(1);
    const snooping = `import os
print("7x")
found = [name for name in os.listdir("/work") if name != "solution.py"]
open(os.environ["OUT"] + "/" + (found or ["out.txt"])[0], "w").close()
os.remove("in.txt")
raise SystemExit(3)`;
    // The input went as `x`, but the script does not read it; what it must not find is the verifier.
    expect((await judge(verifier, snooping)).score).toBe(1);
  });

  it('sees arguments that the answer changes, objects, iterators, and what it prints', async () => {
    const verifier = `${load}import contextlib, io
items = [3, 1, 2]
assert solution.arrange(items) is None and items == [1, 2, 3]
stack = solution.Stack()
stack.push(5)
assert stack.pop() == 5 and len(stack) == 0
assert list(solution.count(3)) == [0, 1, 2]
assert solution.LIMIT == (1, {"a"})
shown = io.StringIO()
with contextlib.redirect_stdout(shown):
    solution.greet()
assert shown.getvalue() == "hello\\n"
try:
    stack.pop()
except IndexError as error:
    return str(error) == "empty"`;
    const answer = `LIMIT = (1, {"a"})
def arrange(items): items.sort()
def greet(): print("hello")
def count(n):
    for i in range(n): yield i
class Stack:
    def __init__(self): self.items = []
    def __len__(self): return len(self.items)
    def push(self, item): self.items.append(item)
    def pop(self):
        if not self.items: raise IndexError("empty")
        return self.items.pop()`;
    expect((await judge(verifier, answer)).score).toBe(1);
  });

  it('may give up a call that hangs and go on', async () => {
    const verifier = `${load}import signal
def late(*_): raise TimeoutError("late")
signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.5)
try:
    solution.double(0)
except TimeoutError:
    pass
return 0.5 if solution.double(2) == 4 else 0`;
    expect((await judge(verifier, 'def double(n):\n    while n == 0: pass\n    return 2 * n')).score).toBe(0.5);
  });

  it('scores 0 when the answer takes all the time, and gives no verdict when it takes it itself', async () => {
    const short = { timeout: 1 };
    const hung = await judge(environment(body, short), 'def double(n):\n    while True: pass');
    expect(hung).toMatchObject({ score: 0, passed: false, truncated: true, details: 'no answer within 1 s' });
    await expect(judge(environment('while True: pass\nreturn True', short), double)).rejects.toThrow(
      'did not end within 1 s',
    );
  });

  it('that fails gives no verdict, unless it can judge the reference', async () => {
    const broken = 'return undefined_name';
    await expect(judge(broken, double)).rejects.toThrow("verifier.py: it raised NameError: name 'undefined_name'");
    await expect(
      judge('print("no result")\nimport sys\nif __name__ == "__main__": sys.exit(1)', double),
    ).rejects.toThrow('it gave no result');
    await expect(judge('print("{rubbish}")\nif __name__ == "__main__": pass', double)).rejects.toThrow(
      'it printed no JSON',
    );
    const fragile = `${load}return solution.double(2) + 1 == 5`;
    await expect(judge(fragile, 'def double(n): return "x"')).rejects.toThrow(VerifierError);
    const withReference = {
      ...environment(fragile),
      references: [{ language: 'python', path: 'reference_solution.py', text: double } as const],
    };
    expect(await judge(withReference, 'def double(n): return "x"')).toMatchObject({ score: 0, passed: false });
    await expect(judge({ ...withReference, deepgym: environment(broken).deepgym }, 'x = 1')).rejects.toThrow(
      VerifierError,
    );
  });

  it.each<[string, string]>([
    ['prints a verdict and exits', 'import os\nprint(\'{"score": 1.0, "passed": true}\', flush=True)\nos._exit(0)'],
    [
      'prints a verdict at exit',
      `import atexit\natexit.register(lambda: print('{"score": 1.0, "passed": true}'))\ndef double(n): return 0`,
    ],
    [
      'prints a verdict and crashes the verifier',
      `def double(n):\n    print('{"score": 1.0, "passed": true}', flush=True)\n    raise SystemExit(0)`,
    ],
    [
      'equals everything',
      'class All:\n    def __eq__(self, other): return True\n    def __bool__(self): return True\ndef double(n): return All() if n else 1',
    ],
    [
      'looks for the verifier',
      'import glob, sys\nprint(sys.argv)\ntext = open((glob.glob("/work/**/verifier.py", recursive=True) + glob.glob("/tmp/**/verifier.py", recursive=True))[0]).read()\ndef double(n): return 0',
    ],
    [
      'walks the stack',
      'import sys\ndef double(n):\n    frame = sys._getframe()\n    while frame:\n        frame.f_globals["passed"] = 5\n        frame = frame.f_back\n    return 1',
    ],
    [
      'patches json',
      'import json\njson.dumps = lambda *_: \'{"score": 1.0, "passed": true}\'\ndef double(n): return 1',
    ],
    ['writes rubbish to its channel', 'import os\nos.write(3, b"rubbish, rubbish")\ndef double(n): return 1'],
    ['floods its channel', 'import os\nwhile True: os.write(3, b"\\x7f" * 65536)'],
    ['kills what it can', 'import os, signal\nos.kill(-1, 9)\ndef double(n): return 1'],
    ['plants a module', 'open("json.py", "w").write("dumps = 1")\ndef double(n): return 1'],
  ])('is not fooled by an answer that %s', async (_name, answer) => {
    for (const verifier of [standalone, body]) {
      const verdict = await judge(verifier, answer);
      expect(verdict).toMatchObject({ kind: 'scored', passed: false });
      expect(verdict.score).toBeLessThanOrEqual(0.2);
    }
  });

  it('is not disturbed by what a right answer prints', async () => {
    const noisy = `print('{"score": 0}')\nimport atexit\natexit.register(print, "{}")\ndef double(n):\n    print("{not json}")\n    return 2 * n`;
    expect((await judge(standalone, noisy)).score).toBe(1);
    expect((await judge(body, noisy)).score).toBe(1);
  });

  it('that would bring the answer into its own process gives no verdict', async () => {
    const pasted = `text = open(solution_path).read()
try:
    exec("def outer():\\n" + "".join("    " + line for line in text.splitlines(True)), {})
except Exception:
    pass
return True`;
    await expect(judge(pasted, double)).rejects.toThrow("runs a text made of the answer's");
  });
});

it('results are read strictly', () => {
  expect(lastObject('{"a": 1}\nnoise\n  {"b": 2}  \nmore')).toEqual({ b: 2 });
  expect(lastObject('nothing')).toBeNull();
  for (const wrong of [
    {},
    { score: 2, passed: true },
    { score: -0.1, passed: true },
    { score: 1 },
    { score: '1', passed: true },
    [],
  ]) {
    expect(() => readResult(wrong)).toThrow(VerifierError);
  }
  expect(readResult({ score: 0.5, passed: true, cases: [{ passed: false }] }).cases[0]).toMatchObject({
    id: 'case_0',
    score: 0,
  });
});

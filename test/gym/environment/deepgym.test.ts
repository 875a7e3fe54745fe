import { describe, expect, test } from 'vitest';
import { environmentFromDeepGym, loadEnvironment } from '../../../src/gym/environment/index.js';
import { isStandalone } from '../../../src/gym/environment/standalone.js';
import { folder } from './folders.js';

const program = `import json, sys

def main():
    print(json.dumps({"score": 1.0, "passed": True}))

if __name__ == "__main__":
    main()
`;

describe('a verifier is a program of its own', () => {
  test.each([
    ['with a main guard', program],
    ['that prints at the top', 'import json\nprint(json.dumps({"score": 1}))\n'],
    ['that prints by a call', 'def go():\n    print("{}")\n    return 1\ngo()\n'],
    ['whose text mentions a return at the line start', 'doc = """\nreturn 1\n"""\nprint(doc)\n'],
    ['whose brackets span lines', 'x = [\nlambda: 1,\n]\nprint(x)\n'],
  ])('%s', (_, source) => {
    expect(isStandalone(source)).toBe(true);
  });
});

describe('a verifier is the body of a function', () => {
  test.each([
    ['that returns', 'return 1.0\n'],
    ['that returns after a condition', 'if solution_path:\n    return True\nreturn False\n'],
    ['that returns on the line of a condition', 'if solution_path: return True\nx = 1\n'],
    [
      'that mentions __name__ and json.dumps',
      'x = type(1).__name__\ny = json.dumps({"a": x})\nreturn {"score": 1.0}\n',
    ],
    [
      'that mentions a guard in texts and comments',
      '# if __name__ == "__main__":\ns = \'if __name__ == "__main__": print(1)\'\nreturn 0\n',
    ],
    ['that prints for debugging', 'print("here")\nreturn 0.5\n'],
    [
      'that has functions of its own',
      'def f():\n    return 1\nclass A:\n    def g(self):\n        return 2\nreturn f() == 1\n',
    ],
    ['with a triple-quoted text over lines', 's = """\nif __name__ == "__main__":\n    print()\n"""\nreturn len(s)\n'],
  ])('%s', (_, source) => {
    expect(isStandalone(source)).toBe(false);
  });
});

describe('a DeepGym folder', () => {
  const files = {
    'task.md': '# Add\n',
    'verifier.py': program,
    'reference_solution.py': 'def add(a, b): return a + b\n',
    'metadata.json': JSON.stringify({
      id: 'env-9',
      name: 'Add',
      difficulty: 'easy',
      tags: ['math'],
      type: 'tool-use',
      author: 'x',
    }),
    'test_cases.json': '[{"input": 1}]',
  };

  test('loads', async () => {
    const environment = await loadEnvironment(folder(files));
    expect(environment).toMatchObject({
      id: 'env-9',
      title: 'Add',
      kind: 'function',
      languages: ['python'],
      difficulty: 'easy',
      tags: ['math', 'tool-use'],
      provenance: 'DeepGym {"author":"x"}',
      limits: { totalSeconds: 30 },
      deepgym: { source: program, standalone: true, testCases: [{ input: 1 }], envVars: {} },
      references: [{ path: 'reference_solution.py' }],
      defaultVariant: 'default',
    });
    expect(Object.keys(environment.variants)).toEqual(['default']);
  });

  test('loads with a task and a verifier alone', async () => {
    const { 'task.md': task, 'verifier.py': verifier } = files;
    const environment = await loadEnvironment(folder({ 'task.md': task, 'verifier.py': verifier }));
    expect(environment).toMatchObject({ difficulty: 'medium', domain: 'coding', deepgym: { testCases: null } });
  });

  test('that is broken says where', async () => {
    const broken = { ...files, 'metadata.json': '{"difficulty": "extreme"}', 'test_cases.json': '{' };
    await expect(loadEnvironment(folder(broken))).rejects.toThrow(
      /metadata\.json difficulty: expected one of easy, medium, hard, got "extreme"$/m,
    );
    await expect(loadEnvironment(folder(broken))).rejects.toThrow(/test_cases\.json: /);
    await expect(loadEnvironment(folder({ 'verifier.py': '' }))).rejects.toThrow(
      'it lacks a task.md beside its verifier.py',
    );
  });
});

describe('an environment from the JSON of the HTTP interface', () => {
  test('has what was sent', () => {
    const environment = environmentFromDeepGym({
      task: 'Add.',
      verifier_code: 'return 1',
      timeout: 7,
      difficulty: 'hard',
      tags: ['a'],
      test_cases: [{ input: [1] }],
      env_vars: { MODE: 'x' },
    });
    expect(environment).toMatchObject({
      task: 'Add.',
      difficulty: 'hard',
      limits: { caseSeconds: 7, totalSeconds: 7 },
      deepgym: { source: 'return 1', standalone: false, testCases: [{ input: [1] }], envVars: { MODE: 'x' } },
    });
    expect(environment.name).toMatch(/^custom-[0-9a-f]{12}$/);
  });

  test.each([
    ['no verifier', { task: 'x' }, 'environment verifier_code: missing; expected a text'],
    ['a long task', { task: 'x'.repeat(100_001), verifier_code: 'x' }, 'task: expected at most 100000 characters'],
    [
      'a timeout out of range',
      { task: 'x', verifier_code: 'x', timeout: 3601 },
      'timeout: expected a number at most 3600, got 3601',
    ],
    ['too many tags', { task: 'x', verifier_code: 'x', tags: Array(21).fill('t') }, 'tags: expected at most 20 items'],
    [
      'too many cases',
      { task: 'x', verifier_code: 'x', test_cases: Array(101).fill({}) },
      'test_cases: expected at most 100 items',
    ],
    ['a variable that is none', { task: 'x', verifier_code: 'x', env_vars: { 'A B': '1' } }, 'env_vars'],
    ['an unknown key', { task: 'x', verifier_code: 'x', timeot: 3 }, 'timeot: unknown key; did you mean "timeout"?'],
    ['no object', 'x', 'environment expected a mapping, got "x"'],
  ])('is refused: %s', (_, json, message) => {
    expect(() => environmentFromDeepGym(json)).toThrow(message);
  });
});

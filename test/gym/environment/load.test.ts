import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EnvironmentError, loadEnvironment } from '../../../src/gym/environment/index.js';
import { complaints, definition, folder, good } from './folders.js';

describe('an environment folder', () => {
  test('loads with its defaults', async () => {
    const environment = await loadEnvironment(folder(good));
    expect(environment).toMatchObject({
      title: 'Double',
      kind: 'function',
      difficulty: 'medium',
      passThreshold: 1,
      floor: 0.2,
      weights: { correctness: 1 },
      checker: { kind: 'structural' },
      limits: { caseSeconds: 2, totalSeconds: 20, memoryMb: 256, processes: 16, outputKb: 64, diskMb: 64 },
      signature: { names: { python: 'double_it', javascript: 'doubleIt' } },
      defaultVariant: 'train',
    });
    expect(environment.references.map(({ path }) => path)).toEqual(['reference.py', 'reference.js']);
  });

  test('declared values become Values by the declared types', async () => {
    const { variants } = await loadEnvironment(folder(good));
    expect(variants.train?.declared).toEqual([
      { id: 'one', input: [[1, 2], { f: '2.0' }], expected: [{ f: '2.0' }, { f: '4.0' }], weight: 1, group: null },
      { id: '2', input: [[3], null], weight: 1, group: null },
    ]);
  });

  test('integers beyond 2^53 keep every digit', async () => {
    const { variants } = await loadEnvironment(
      folder({ ...good, 'cases.yaml': '- input: [[12345678901234567890, -9007199254740993], null]\n' }),
    );
    expect(variants.train?.declared[0]?.input[0]).toEqual([{ i: '12345678901234567890' }, { i: '-9007199254740993' }]);
  });

  test('is frozen all the way down', async () => {
    const environment = await loadEnvironment(folder(good));
    expect(Object.isFrozen(environment.variants.train?.declared[0]?.input)).toBe(true);
    expect(() => Object.assign(environment.limits, { memoryMb: 1 })).toThrow(TypeError);
  });

  test('its hash follows from the files alone', async () => {
    const hash = async (files: Parameters<typeof folder>[0]) => (await loadEnvironment(folder(files))).contentHash;
    const first = await hash(good);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await hash(Object.fromEntries(Object.entries(good).reverse()))).toBe(first);
    expect(await hash({ ...good, '__pycache__/x.pyc': 'x' })).toBe(first);
    expect(await hash({ ...good, 'task.md': 'Double the values!' })).not.toBe(first);
    expect(await hash({ ...good, 'notes.md': '' })).not.toBe(first);
  });

  test('without a generator the standard variants exist where cases are declared for them', async () => {
    const cases = '- input: [[1], null]\n- {input: [[2], null], variant: eval}\n';
    const { variants } = await loadEnvironment(folder({ ...good, 'cases.yaml': cases }));
    expect(Object.keys(variants)).toEqual(['train', 'eval']);
  });

  test('with a generator they exist always, and the first declared is the default', async () => {
    const yaml = `${definition}variants:\n  small: {generate: 3, parameters: {most: 9}}\n  eval: {seed: 70}\n`;
    const environment = await loadEnvironment(folder({ ...good, 'environment.yaml': yaml, 'generator.js': '' }));
    expect(environment.defaultVariant).toBe('small');
    expect(Object.values(environment.variants).map(({ name, seed, generated }) => [name, seed, generated])).toEqual([
      ['small', 4, 3],
      ['eval', 70, 15],
      ['train', 1, 15],
      ['holdout', 3, 15],
    ]);
    expect(environment.variants.small).toMatchObject({
      parameters: { most: 9 },
      declared: [{ id: 'one' }, { id: '2' }],
    });
  });
});

describe('what is wrong with a folder is told', () => {
  test('all at once, each with file, line, column and key, in the order of the file', async () => {
    const yaml = `name: Double
kind: function
languages: [python, perl]
dificulty: easy
limits: {case_seconds: 0, memory_md: 5}
pass_threshold: 2
function:
  name: double_it
  parameters: {values: "lst[int]", factor: "Optional[float]"}
  returns: list[float
checker: {numeric: {relativ: 1e-6}}
weights: {correctness: 0.7}
`;
    expect(await complaints({ 'environment.yaml': yaml })).toEqual([
      'environment.yaml:3:21 languages.1: expected one of python, javascript, typescript, bash, got "perl"',
      'environment.yaml:4:1 dificulty: unknown key; did you mean "difficulty"?',
      'environment.yaml:5:24 limits.case_seconds: expected a number above 0, got 0',
      'environment.yaml:5:27 limits.memory_md: unknown key; did you mean "memory_mb"?',
      'environment.yaml:6:17 pass_threshold: expected a number at most 1, got 2',
      'environment.yaml:9:24 function.parameters.values: unknown type lst; did you mean "list"? in the type "lst[int]"',
      'environment.yaml:9:44 function.parameters.factor: unknown type Optional; did you mean "int | None"? in the type "Optional[float]"',
      'environment.yaml:10:12 function.returns: expected ], got the end in the type "list[float"',
      'environment.yaml:11:21 checker.numeric.relativ: unknown key; did you mean "relative"?',
      'environment.yaml:12:10 weights: they sum to 0.7; expected 1',
    ]);
  });

  const table: [string, Parameters<typeof complaints>[0], string[]][] = [
    ['no task', { 'task.md': null }, ['task.md: missing; it is the text that a model is given']],
    ['an empty task', { 'task.md': ' \n' }, ['task.md: empty; it is the text that a model is given']],
    [
      'no reference',
      { 'reference.py': null, 'reference.js': null },
      ['.: no reference solution; expected reference.py or reference.js'],
    ],
    ['no environment', { 'environment.yaml': null }, ['.: no environment: it lacks an environment.yaml']],
    ['an empty definition', { 'environment.yaml': '' }, ['environment.yaml:1:1 the file is empty']],
    [
      'no YAML',
      { 'environment.yaml': 'name: [a\n' },
      ['environment.yaml:2:1 YAML: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ],
    [
      'a repeated key',
      { 'environment.yaml': `${definition}kind: script\n` },
      ['environment.yaml:8:1 "kind" is given more than once'],
    ],
    [
      'an unknown checker',
      { 'environment.yaml': `${definition}checker: exactly\n` },
      [
        'environment.yaml:8:10 checker: expected exact, structural, unordered, numeric, or a script as {script: checker.js}, got "exactly"',
      ],
    ],
    [
      'a checker script that is not there',
      { 'environment.yaml': `${definition}checker: {script: chekcer.js}\n`, 'checker.js': '' },
      ['environment.yaml:8:19 checker.script: there is no file chekcer.js; did you mean "checker.js"?'],
    ],
    [
      'a path out of the folder',
      { 'environment.yaml': `${definition}checker: {script: ../checker.js}\n` },
      [
        'environment.yaml:8:19 checker.script: expected a path inside the folder of the environment, got "../checker.js"',
      ],
    ],
    [
      'a bad answer that is not there',
      { 'environment.yaml': `${definition}bad_answers: {greedi.py: 0.5}\n`, 'bad/greedy.py': '' },
      ['environment.yaml:8:15 bad_answers.greedi.py: there is no file bad/greedi.py; did you mean "greedy.py"?'],
    ],
    [
      'a weight for rules without rules',
      { 'environment.yaml': `${definition}weights: {correctness: 0.7, rules: 0.3}\n` },
      ['environment.yaml:8:29 weights.rules: there are no rules'],
    ],
    [
      'rules of a language that it does not have',
      { 'environment.yaml': `${definition}rules: {typescript: {require: [loops]}}\n` },
      [
        'environment.yaml:8:32 rules.typescript.require.0: expected one of loop, comparison, recursion, function, got "loops"; did you mean "loop"?',
      ],
    ],
    [
      'a generated variant without a generator',
      { 'environment.yaml': `${definition}variants: {train: {generate: 5}}\n` },
      ['environment.yaml:8:30 variants.train.generate: there is no generator.js, generator.ts or generator.py'],
    ],
    [
      'two generators',
      { 'generator.js': '', 'generator.py': '' },
      ['generator.py: there is generator.js as well; keep one generator'],
    ],
    [
      'a block of another kind',
      { 'environment.yaml': `${definition}script: {entry: {bash: answer.sh}}\n` },
      ['environment.yaml:8:1 script: an environment of kind function has no script'],
    ],
    [
      'a missing block',
      { 'environment.yaml': 'name: X\nlanguages: [python]\n' },
      ['environment.yaml function: missing; an environment of kind function needs it'],
    ],
    [
      'a script checked by a comparator',
      {
        'environment.yaml': 'name: X\nkind: script\nscript: {entry: {bash: answer.sh}}\nchecker: exact\n',
        'cases.yaml': null,
      },
      ['environment.yaml:4:10 checker: an environment of kind script is checked by a script: {script: checker.js}'],
    ],
    ['cases that are no list', { 'cases.yaml': 'input: 1\n' }, ['cases.yaml:1:1: expected a list of cases']],
    ['no cases at all', { 'cases.yaml': null }, ['.: no cases; expected a cases.yaml or a generator.js']],
    [
      'cases of wrong shape',
      {
        'cases.yaml': `- {input: {value: [1], factor: 1}}
- {input: [[1]], wieght: 2}
- {input: [["a"], null], weight: 0}
- {input: [["a"], null]}
- expected: [1.5]
- {input: [[1], null], expected: 7}
- {input: [[5], null], variant: evil}
- {id: x, input: [[6], null]}
- {id: x, input: [[7], null]}
`,
      },
      [
        'cases.yaml:1:12 0.input.value: the function has no parameter value; did you mean "values"?',
        'cases.yaml:1:11 0.input.values: missing',
        'cases.yaml:2:18 1.wieght: unknown key; did you mean "weight"?',
        'cases.yaml:3:34 2.weight: expected a number above 0, got 0',
        'cases.yaml:4:12 3.input.0: at [0]: expected int, got "a"',
        'cases.yaml:5:3 4.input: missing; expected a mapping of values, factor, or a list of the arguments',
        'cases.yaml:6:34 5.expected: expected list[float], got 7',
        'cases.yaml:9:8 8.id: x is given more than once',
        'cases.yaml:7:33 6.variant: there is no variant evil; did you mean "eval"?',
      ],
    ],
    [
      'an input of eval or holdout that stands elsewhere',
      {
        'cases.yaml':
          '- input: [[1], null]\n- {input: [[1], null], variant: holdout}\n- input: [[2], null]\n- {input: {factor: null, values: [2]}}\n',
      },
      [
        'cases.yaml:2:3: the input is that of cases.yaml:1:3 (variant train) again',
        'cases.yaml:4:3: the input is that of cases.yaml:3:3 again',
      ],
    ],
    [
      'text that is no UTF-8',
      { 'task.md': Uint8Array.of(0x61, 0xff) },
      ['task.md: not valid UTF-8; save it as UTF-8 text'],
    ],
    ['a huge file', { 'notes.txt': 'x'.repeat(5_100_000) }, ['notes.txt: 5.1 MB; a file may have 5 MB']],
    [
      'a type without end',
      { 'environment.yaml': definition.replace('list[int]', 'list['.repeat(200)) },
      [`environment.yaml:6:24 function.parameters.values: a type of 1000 characters; at most 500`],
    ],
    [
      'an alias that unfolds without bounds',
      {
        'environment.yaml':
          'name: &a [x, x]\ntags: &b [*a, *a, *a, *a, *a, *a, *a, *a]\nx: &c [*b, *b, *b, *b, *b, *b, *b, *b]\ny: [*c, *c, *c, *c]\n',
      },
      ['environment.yaml YAML: Excessive alias count indicates a resource exhaustion attack'],
    ],
  ];
  test.each(table)('%s', async (_, changes, expected) => {
    expect(await complaints(changes)).toEqual(expected);
  });

  test('a link', async () => {
    const directory = folder(good);
    symlinkSync('/etc/hostname', join(directory, 'answer.txt'));
    await expect(loadEnvironment(directory)).rejects.toThrow(/answer\.txt: a link; an environment holds files/);
  });

  test('as an error with the problems as data', async () => {
    const error = await loadEnvironment(folder({ ...good, 'task.md': null })).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(EnvironmentError);
    expect((error as EnvironmentError).expected).toBe(true);
    expect((error as EnvironmentError).problems).toHaveLength(1);
  });
});

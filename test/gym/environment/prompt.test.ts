import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CaseSet, loadEnvironment, renderSignature, renderTask } from '../../../src/gym/environment/index.js';
import { parseType } from '../../../src/gym/environment/parse-type.js';
import { showType, type ValueType } from '../../../src/gym/value-type.js';
import { folder, good } from './folders.js';

const set = (variant: string, input: CaseSet['cases'][number]['input'] = []): CaseSet => ({
  variant,
  seed: 1,
  hash: '',
  cases: [{ id: '1', input, weight: 1, group: null }],
});

describe('the grammar of types', () => {
  const types = fc.letrec<{ type: ValueType }>((tie) => ({
    type: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('int', 'float', 'str', 'bool', 'none', 'bytes', 'any').map((kind) => ({ kind }) as ValueType),
      fc.record({ kind: fc.constantFrom('list' as const, 'set' as const), of: tie('type') }),
      fc.record({ kind: fc.constant('tuple' as const), of: fc.array(tie('type'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ kind: fc.constant('dict' as const), key: tie('type'), value: tie('type') }),
    ),
  })).type;

  test('every type reads back as it is shown', () => {
    fc.assert(
      fc.property(types, (type) => {
        const text = showType(type);
        fc.pre(text.length <= 500);
        expect(parseType(text)).toEqual(type);
      }),
    );
  });

  test.each([
    ['int | None', { kind: 'union', of: [{ kind: 'int' }, { kind: 'none' }] }],
    ['list', { kind: 'list', of: { kind: 'any' } }],
    [
      ' dict[ str,list[int|str] ] ',
      {
        kind: 'dict',
        key: { kind: 'str' },
        value: { kind: 'list', of: { kind: 'union', of: [{ kind: 'int' }, { kind: 'str' }] } },
      },
    ],
  ])('%s', (text, type) => {
    expect(parseType(text)).toEqual(type);
  });

  test.each([
    ['', 'a type is missing'],
    ['int |', 'a type is missing'],
    ['list[int', 'expected ], got the end'],
    ['list[int]]', 'expected the end, got ]'],
    ['list[int, str]', 'list takes one type, got 2'],
    ['dict[str]', 'dict takes two types, of its keys and values, got 1'],
    ['tuple', 'tuple needs the types of its items'],
    ['tuple[int, ...]', 'for any number of items write list[…]'],
    ['integer', 'unknown type integer; did you mean "int"?'],
    ['List[int]', 'unknown type List; did you mean "list"?'],
    ['number', 'unknown type number; did you mean "float"?'],
  ])('%s is refused', (text, message) => {
    expect(() => parseType(text)).toThrow(message);
  });
});

test('a signature in each language', () => {
  const signature = {
    names: { python: 'group_words', javascript: 'groupWords' },
    parameters: [
      { name: 'words', type: parseType('list[str | None]') },
      { name: 'sizes', type: parseType('dict[int, tuple[int, float]]') },
      { name: 'rest', type: parseType('dict[str, any]') },
    ],
    returns: parseType('set[int] | float | int'),
  };
  expect(renderSignature(signature, 'python')).toBe(
    'def group_words(words: list[str | None], sizes: dict[int, tuple[int, float]], rest: dict[str, object]) -> set[int] | float | int:',
  );
  expect(renderSignature(signature, 'typescript')).toBe(
    'function groupWords(words: (string | null)[], sizes: Map<number, [number, number]>, rest: Record<string, unknown>): Set<number> | number',
  );
  expect(renderSignature(signature, 'javascript')).toBe(
    `/**
 * @param {(string | null)[]} words
 * @param {Map<number, [number, number]>} sizes
 * @param {Record<string, unknown>} rest
 * @returns {Set<number> | number}
 */
function groupWords(words, sizes, rest)`,
  );
});

describe('the prompt', () => {
  const prompt = async (task: string, language: 'python' | 'javascript') =>
    renderTask(await loadEnvironment(folder({ ...good, 'task.md': task })), set('train'), language);

  test('has the task, the signature and how to answer, and no case', async () => {
    expect(await prompt('Double the values.', 'python')).toBe(
      'Double the values.\n\n```python\ndef double_it(values: list[int], factor: float | None) -> list[float]:\n```\n\nAnswer with one fenced python block that defines `double_it`.',
    );
    expect(await prompt('Double the values.', 'javascript')).toMatch(
      /one fenced javascript block that defines `doubleIt`\.$/,
    );
  });

  test('has the signature where the task wants it', async () => {
    const signature = 'def double_it(values: list[int], factor: float | None) -> list[float]:';
    expect(await prompt('Write\n{{signature}}\nplease.', 'python')).toContain(
      `Write\n\`\`\`python\n${signature}\n\`\`\`\nplease.`,
    );
    expect(await prompt('Write `{{signature}}`.', 'python')).toContain(`Write \`${signature}\`.\n\nAnswer`);
    expect(await prompt('~~~\n{{signature}}\n~~~', 'python')).toContain(`~~~\n${signature}\n~~~\n\nAnswer`);
  });

  test('of a variant with a task of its own', async () => {
    const files = {
      ...good,
      'environment.yaml': `${good['environment.yaml']}variants: {hard: {cases: cases.yaml, task: task-hard.md}}\n`,
      'task-hard.md': 'Double them fast.',
    };
    expect(renderTask(await loadEnvironment(folder(files)), set('hard'), 'python')).toMatch(/^Double them fast\./);
  });

  test('of a document is written around its case', async () => {
    const files = {
      'environment.yaml': 'name: Log\nkind: document\nchecker: {script: checker.js}\n',
      'task.md': 'Read:\n{{log}}\nand {{ limits }}.',
      'checker.js': 'export const check = () => true;',
    };
    const environment = await loadEnvironment(folder(files));
    const input = (pairs: [string, CaseSet['cases'][number]['input'][number]][]) => [{ d: pairs }];
    expect(
      renderTask(
        environment,
        set(
          'train',
          input([
            ['log', '$& {{limits}}'],
            ['limits', [1, 2]],
          ]),
        ),
        'python',
      ),
    ).toBe('Read:\n$& {{limits}}\nand [\n  1,\n  2\n].\n\nAnswer with what is asked for and nothing else.');
    expect(() => renderTask(environment, set('train', input([])), 'python')).toThrow(
      'the task has {{log}}, but its case has no log',
    );
  });

  test('of an episode says what a step may be', async () => {
    const files = {
      ...good,
      'environment.yaml': `${good['environment.yaml']!.toString().replace('kind: function', 'kind: episode').replace('[python, javascript]', '[python]')}
episode:
  answer_file: double.py
  actions: [bash, tool]
  tools: [{name: count, description: Counts lines., parameters: {type: object}, script: count.py}]
`,
      'count.py': '',
    };
    const text = renderTask(await loadEnvironment(folder(files)), set('train'), 'python');
    expect(text).toContain('in steps, 10 at most. A step is a bash command or a call of a tool');
    expect(text).toContain('- `count`: Counts lines. Arguments: `{"type":"object"}`');
    expect(text).toContain('At the end the file `double.py` is judged.');
  });
});

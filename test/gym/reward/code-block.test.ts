import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Language } from '../../../src/gym/environment/types.js';
import { answerOf, type Completion } from '../../../src/gym/reward/code-block.js';

type Row = readonly [what: string, completion: Completion, answer: string, language?: Language];

const f = '```';
const table: readonly Row[] = [
  ['no fence: the whole text, trimmed', '\n  x = 1\n', 'x = 1'],
  ['empty', '', ''],
  ['only white space', ' \n\t\n', ''],
  ['a block', `Here:\n${f}python\nx = 1\n${f}\nDone.`, 'x = 1'],
  ['the last of several', `${f}\na\n${f}\n${f}\nb\n${f}`, 'b'],
  ['the last with the language’s tag', `${f}python\na\n${f}\nIt prints\n${f}\n3\n${f}`, 'a', 'python'],
  ['the last fitting one, not the first', `${f}py\na\n${f}\n${f}python3\nb\n${f}`, 'b', 'python'],
  ['no tag fits: the last of any tag', `${f}text\na\n${f}\n${f}\nb\n${f}`, 'b', 'python'],
  ['JavaScript tags', `${f}js\na\n${f}\n${f}python\nb\n${f}`, 'a', 'javascript'],
  ['TypeScript tags', `${f}ts\na\n${f}\n${f}js\nb\n${f}`, 'a', 'typescript'],
  ['bash tags', `${f}sh\na\n${f}\n${f}json\n{}\n${f}`, 'a', 'bash'],
  ['no language: tags do not matter', `${f}python\na\n${f}\n${f}json\n{}\n${f}`, '{}'],
  ['tag in capitals', `${f}Python\na\n${f}\n${f}\nb\n${f}`, 'a', 'python'],
  ['tag behind a space', `${f} python\na\n${f}\n${f}\nb\n${f}`, 'a', 'python'],
  ['more words in the info string', `${f}python title="a.py"\na\n${f}\n${f}\nb\n${f}`, 'a', 'python'],
  ['a file name in the info string', `${f}python:main.py\na\n${f}\n${f}\nb\n${f}`, 'a', 'python'],
  ['attributes', `${f}{.python .numberLines}\na\n${f}\n${f}\nb\n${f}`, 'a', 'python'],
  ['tildes', '~~~python\na\n~~~', 'a'],
  ['tildes may have backticks in the info', '~~~ a`b\nx\n~~~', 'x'],
  ['backticks may not', `${f} a\`b\nx`, `${f} a\`b\nx`],
  ['a tilde fence does not close a backtick fence', `${f}\na\n~~~\nb\n${f}`, 'a\n~~~\nb'],
  ['a longer fence holds a shorter one', `${f}${f}md\n${f}python\na\n${f}\n${f}${f}`, `${f}python\na\n${f}`],
  ['a longer closing fence', `${f}\na\n${f}\`\``, 'a'],
  ['a shorter fence does not close', `${f}\`\na\n${f}\nb\n${f}\``, `a\n${f}\nb`],
  ['a closing fence has no info string', `${f}\na\n${f} b\nc\n${f}`, `a\n${f} b\nc`],
  ['white space behind a closing fence', `${f}\na\n${f}  \t\nb`, 'a'],
  ['two backticks are no fence', '``\na\n``', '``\na\n``'],
  ['never closed: to the end', `Text\n${f}python\na\nb`, 'a\nb'],
  ['never closed, after a whole one', `${f}python\na\n${f}\n${f}python\nb\nc`, 'b\nc', 'python'],
  ['an empty block', `${f}python\n${f}`, ''],
  ['blank lines and indentation stay', `${f}\n\n  a\n\n    b\n${f}`, '\n  a\n\n    b'],
  ['an indented fence takes its indentation off', `   ${f}\n   a\n     b\n c\n   ${f}`, 'a\n  b\nc'],
  ['a closing fence indented otherwise', `${f}\na\n   ${f}\nb`, 'a'],
  ['four spaces: no fence', `    ${f}\n    a\n    ${f}`, `${f}\n    a\n    ${f}`],
  ['four spaces do not close', `${f}\na\n    ${f}\nb`, `a\n    ${f}\nb`],
  ['CRLF', `x\r\n${f}python\r\na\r\n  b\r\n${f}\r\ny`, 'a\n  b'],
  ['lone CR', `${f}\ra\r${f}`, 'a'],
  ['a fence may follow text at once', `text\n${f}\na\n${f}\ntext`, 'a'],
  ['a fence in the middle of a line is none', `Use ${f}python a ${f} here`, `Use ${f}python a ${f} here`],
  ['in a list item', `- like this:\n  ${f}python\n  def f():\n      pass\n  ${f}`, 'def f():\n    pass'],
  ['behind a bullet', `- ${f}python\n  a\n  ${f}`, 'a'],
  ['in a numbered item', `1. First:\n   ${f}\n   a\n   ${f}\n2. Then:\n   ${f}\n   b\n     c\n   ${f}`, 'b\n  c'],
  ['in a numbered item, indented by four', `1. First:\n\n    ${f}\n    a\n    ${f}`, 'a'],
  ['in a nested list', `- a\n  - b\n    ${f}\n    x\n    ${f}`, 'x'],
  ['a list item ends an open fence', `- ${f}\n  a\n\nText.\n${f}\nb\n${f}`, 'b'],
  ['after a list, not in it', `1. think\n2. write\n\n${f}python\na\n${f}`, 'a'],
  ['in a quote', `> ${f}python\n> a\n>   b\n> ${f}\ntext`, 'a\n  b'],
  ['a quote’s end closes the fence', `> ${f}\n> a\nb`, 'a'],
  ['a rule is no list', `* * *\n${f}\na\n${f}`, 'a'],
  ['a tab before the content', `${f}\n\ta\n${f}`, '\ta'],
  ['HTML does not hide a fence', `<answer>\n${f}python\na\n${f}\n</answer>`, 'a'],
  ['reasoning before the answer', `<think>\n${f}python\ndraft\n${f}\n</think>\n${f}python\na\n${f}`, 'a'],
  ['no block but in the reasoning', `<think>\n${f}\ndraft\n${f}\n</think>\nThe answer`, 'The answer'],
  ['reasoning with an open fence', `<think>\n${f}python\ndraft\n</think>\n${f}python\na\n${f}`, 'a'],
  ['reasoning that began in the prompt', `let me see\n${f}\ndraft\n${f}\n</think>\n\nx = 1`, 'x = 1'],
  ['… and broke off in a block', `let me see\n${f}python\ndraft\n</think>\n${f}python\na\n${f}`, 'a'],
  ['reasoning that is never closed', `<think>\n${f}\ndraft\n${f}`, ''],
  ['a block, then reasoning without end', `${f}\na\n${f}\n<think>\n${f}\nb\n${f}`, 'a'],
  ['reasoning in one line', '<think>hm</think>x = 1', 'x = 1'],
  ['a fence right behind the reasoning', `<think>hm</think>${f}python\na\n${f}`, 'a'],
  ['reasoning twice', '<think>a</think>x\n<think>b</think>y', 'x\ny'],
  ['reasoning in reasoning', `<think>a <think> b</think> c</think>${f}\nx\n${f}`, 'x'],
  ['other names', `<reasoning>\n${f}\na\n${f}\n</reasoning>\n${f}\nx\n${f}`, 'x'],
  ['capitals', `<Thinking>\n${f}\na\n${f}\n</Thinking>\nx`, 'x'],
  ['square brackets', `[THINK]${f}\na\n${f}[/THINK]x`, 'x'],
  ['triangles', '◁think▷a◁/think▷x', 'x'],
  ['begin_of_thought', '<|begin_of_thought|>\na\n<|end_of_thought|>\nx', 'x'],
  ['speaking of a tag', `I skip the <think> tag.\n${f}\na\n${f}`, 'a'],
  ['a tag in code', `I skip \`<think>\`.\n${f}\na\n${f}`, 'a'],
  ['tags inside a block', `${f}\nre.sub("<think>.*</think>", "", s)\n${f}`, 're.sub("<think>.*</think>", "", s)'],
  [
    'a conversation: its last assistant message',
    [
      { role: 'user', content: `${f}\nu\n${f}` },
      { role: 'assistant', content: `${f}\na\n${f}` },
      { role: 'assistant', content: `${f}\nb\n${f}` },
      { role: 'user', content: `${f}\nv\n${f}` },
    ],
    'b',
  ],
  [
    'content in parts',
    [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: `${f}\na` },
          { type: 'text', text: `b\n${f}` },
        ],
      },
    ],
    'ab',
  ],
  ['no content', [{ role: 'assistant', content: null }], ''],
  ['nobody answered', [{ role: 'user', content: 'a' }], ''],
  ['no messages', [], ''],
];

describe('answerOf', () => {
  for (const [what, completion, answer, language] of table) {
    it(what, () => expect(answerOf(completion, language)).toBe(answer));
  }

  it(`has at least 40 rows (${table.length})`, () => expect(table.length).toBeGreaterThanOrEqual(40));

  const piece = fc.oneof(
    fc.constantFrom(
      '```',
      '~~~',
      '````',
      '\n',
      '\r\n',
      '> ',
      '- ',
      '1. ',
      '    ',
      '\t',
      'python',
      '<think>',
      '</think>',
      '`',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const completion = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

  it('never throws and invents nothing', () => {
    fc.assert(
      fc.property(
        completion,
        fc.constantFrom<Language | undefined>('python', 'javascript', undefined),
        (text, language) => {
          const letters = (part: string) => part.replace(/\s/g, '');
          const left = [...letters(text)][Symbol.iterator]();
          for (const letter of letters(answerOf(text, language))) {
            let next = left.next();
            while (!next.done && next.value !== letter) next = left.next();
            expect(next.done).toBe(false);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('finds any code that is fenced behind any prose and reasoning', () => {
    const plain = fc.string({ maxLength: 30 }).filter((text) => !/[`~<[>]/.test(text));
    fc.assert(
      fc.property(plain, fc.array(fc.string({ maxLength: 20 }), { maxLength: 8 }), plain, (before, code, after) => {
        const lines = code.map((line) => line.replace(/[\n\r]/g, ''));
        const longest = Math.max(2, ...lines.map((line) => /^ *(`+)/.exec(line)?.[1]?.length ?? 0));
        const fence = '`'.repeat(longest + 1);
        const safe = lines.filter((line) => !/^\s*<\/|^\s*\[\//.test(line));
        const text = `<think>\n${before}\n</think>\nSo:\n\n${fence}python\n${safe.map((line) => `${line}\n`).join('')}${fence}\n${after}`;
        expect(answerOf(text, 'python')).toBe(safe.join('\n'));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['backticks', '`'.repeat(1 << 20)],
    ['a fence on each line', '```\n'.repeat(1 << 18)],
    ['quotes in quotes', `${'>'.repeat(1 << 19)}\n${'\n'.repeat(1 << 19)}`],
    ['lists in lists', `${'* + '.repeat(1 << 18)}\n${'\n'.repeat(1 << 19)}`],
    ['spaces', ' '.repeat(1 << 20)],
    ['openings of reasoning in one line', 'a<think>'.repeat(1 << 17)],
    ['endings of reasoning in one line', '</think>'.repeat(1 << 17)],
    ['openings of reasoning, a line each', 'a <think>\n'.repeat(1 << 17)],
    ['angle brackets', '<'.repeat(1 << 20)],
    ['an info string', `\`\`\`${'a'.repeat(1 << 20)}`],
  ])('takes linear time: a megabyte of %s', (_, text) => {
    // Quadratic time would be hours, beyond any limit of a test.
    expect(typeof answerOf(text, 'python')).toBe('string');
  });
});

import { type Edit, operatorSwaps } from './edit.js';

const token =
  /(?<comment>#[^\n]*)|(?<string>[rbfuRBFU]{0,2}(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))|(?<number>\d[\w.]*)|(?<name>[A-Za-z_]\w*)|(?<operator>->|\*\*|\/\/|<=|>=|==|!=|\+=|-=|:=|[<>+\-*%])|(?<other>\S)/g;

const wordSwaps: Readonly<Record<string, string>> = {
  and: 'or',
  or: 'and',
  True: 'False',
  False: 'True',
  min: 'max',
  max: 'min',
  continue: 'break',
};

/** Words after which `+` and `-` are signs, not operators. */
const beforeSign = new Set([
  'return',
  'in',
  'and',
  'or',
  'not',
  'if',
  'else',
  'elif',
  'while',
  'yield',
  'lambda',
  'is',
]);

/** Places of a module that can be changed so that it means something else, found by its tokens. */
export function pythonEdits(text: string): readonly Edit[] {
  const edits: Edit[] = [];
  let depth = 0;
  /** The `if` or `while` whose condition is being read, outside of brackets. */
  let head: { word: string; start: number } | null = null;
  let returned: number | null = null;
  let last = '';
  let lastIsOperand = false;
  let lineOf = 0;
  for (const match of text.matchAll(token)) {
    const start = match.index;
    const word = match[0];
    const end = start + word.length;
    const { comment, string, number, name, operator } = match.groups!;
    if (comment !== undefined) continue;
    const newLine = depth === 0 && text.slice(lineOf, start).includes('\n');
    if (newLine) {
      if (returned !== null) edits.push({ start: returned, end: lineOf, replacement: 'None' });
      [head, returned, lastIsOperand] = [null, null, false];
    }
    if (returned === -1) returned = start;
    if (head !== null && head.start === -1) head.start = start;
    if (operator !== undefined) {
      const binary = lastIsOperand || !/^[+\-*]$/.test(operator);
      const swap = operatorSwaps[operator];
      // `*args` and `def f(*, a)` are no products; `->` and `:=` have no swap.
      if (swap !== undefined && binary) edits.push({ start, end, replacement: swap });
    } else if (number !== undefined && /^\d+$/.test(number)) {
      edits.push({ start, end, replacement: String(BigInt(number) + 1n) });
    } else if (name !== undefined) {
      const swap = wordSwaps[name];
      if (swap !== undefined && last !== '.') edits.push({ start, end, replacement: swap });
      if (newLine || last === '') {
        if (name === 'return') returned = -1;
      }
      if ((name === 'if' || name === 'elif') && depth === 0 && (newLine || last === '' || last === ':'))
        head = { word: name, start: -1 };
      if (name === 'return' && last === ':') returned = -1;
    } else if (depth === 0 && word === ':' && head !== null && head.start >= 0) {
      const condition = text.slice(head.start, start);
      edits.push({ start: head.start, end: start, replacement: `not (${condition})` });
      edits.push({ start: head.start, end: start, replacement: 'False' });
      head = null;
    }
    if ('([{'.includes(word)) depth++;
    if (')]}'.includes(word)) depth--;
    lastIsOperand =
      number !== undefined ||
      string !== undefined ||
      (name !== undefined && !beforeSign.has(name)) ||
      ')]}'.includes(word);
    last = word;
    lineOf = end;
  }
  if (returned !== null && returned >= 0) edits.push({ start: returned, end: lineOf, replacement: 'None' });
  return edits;
}

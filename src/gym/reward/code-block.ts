import type { Language } from '../environment/types.js';
import { closingMarks, openingMarks } from './reasoning.js';

/** A message of a conversational completion. Content comes as a text or in parts, of which the texts count. */
export interface AnswerMessage {
  readonly role: string;
  readonly content?: string | readonly AnswerPart[] | null | undefined;
}

interface AnswerPart {
  readonly type?: string | undefined;
  readonly text?: string | null | undefined;
}

/** What a model wrote: text, or messages whose last one by the assistant counts. */
export type Completion = string | readonly AnswerMessage[];

/**
 * The answer in a completion: the content of its last fenced code block that is tagged with the language, else of its last
 * fenced block, else the whole text without the white space around it. Reasoning (`<think>…</think>` and its like) is left
 * out first, with the blocks in it.
 *
 * Fences are those of CommonMark: three or more backticks or tildes, closed by at least as many of the same, up to three
 * spaces of indentation, in lists and quotes as well; a fence that is never closed reaches to the end. HTML blocks are no
 * exception, so `<answer>` may stand on the line above a fence.
 *
 * Never throws; takes time linear in the length.
 */
export function answerOf(completion: Completion, language?: Language): string {
  const { blocks, text } = scan(textOf(completion));
  const fitting = language === undefined ? undefined : blocks.findLast(({ tag }) => tags[language].includes(tag));
  return (fitting ?? blocks.at(-1))?.content ?? text.trim();
}

/** The text of a completion: of the last message by the assistant, where it is a list of messages. */
export function textOf(completion: Completion): string {
  if (typeof completion === 'string') return completion;
  const content = completion.findLast((message) => message?.role === 'assistant')?.content ?? '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('');
}

const tags: Readonly<Record<Language, readonly string[]>> = {
  python: ['python', 'py', 'python3', 'py3', 'python2', 'cpython', 'ipython'],
  javascript: ['javascript', 'js', 'mjs', 'cjs', 'node', 'nodejs', 'ecmascript', 'jsx'],
  typescript: ['typescript', 'ts', 'mts', 'cts', 'tsx'],
  bash: ['bash', 'sh', 'shell', 'zsh', 'shellscript', 'shell-script'],
};

interface Block {
  readonly tag: string;
  readonly content: string;
}

/** What a line must begin with to stay inside: a `>`, or the indentation of a list item's content. */
type Container = 'quote' | number;

interface Fence {
  readonly mark: string;
  readonly length: number;
  readonly indent: number;
  readonly tag: string;
  readonly lines: string[];
}

// Deeper ones are text. Without a bound a blank line would cost as much as the nesting is deep.
const maxDepth = 32;

/**
 * Reasoning is left out while the blocks are found, because each hides the other: a fence in the reasoning is none, nor is
 * `<think>` in a block reasoning.
 */
function scan(source: string): { blocks: readonly Block[]; text: string } {
  const lines = source.split(/\r\n|\n|\r/);
  const reasoning = reasoningOf(lines);
  let blocks: Block[] = [];
  let outside: string[] = [];
  let containers: Container[] = [];
  let fence: Fence | null = null;

  const close = () => {
    if (fence !== null) blocks.push({ tag: fence.tag, content: fence.lines.join('\n') });
    fence = null;
  };
  const forget = () => {
    blocks = [];
    outside = [];
    containers = [];
    fence = null;
  };

  for (const [index, whole] of lines.entries()) {
    if (fence !== null && reasoning.endsAlone(whole)) {
      // It began in the prompt and broke off inside a block.
      forget();
      continue;
    }
    const line = fence === null ? reasoning.leaveOut(whole, index, forget) : whole;
    if (line === null) continue;

    const place = enter(line, containers);
    if (fence !== null) {
      const open: Fence = fence;
      if (place.depth === containers.length) {
        if (closes(place.rest, open)) close();
        else open.lines.push(unindent(place.rest, open.indent));
        continue;
      }
      close();
    }
    if (place.rest.trim() !== '') containers = containers.slice(0, place.depth);
    fence = opens(nest(place.rest, containers));
    if (fence === null) outside.push(line);
  }
  close();
  return { blocks, text: outside.join('\n') };
}

/**
 * Reasoning begins at a mark at the beginning of a line, or further on at one that is closed later, since a text may speak of
 * `<think>` without thinking. A closing mark without an opening one ends reasoning that began in the prompt, where chat templates
 * put it: all before it goes. Reasoning that is not closed reaches to the end.
 */
function reasoningOf(lines: readonly string[]) {
  let within: string | null = null;
  const lastClosed = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    for (const { name } of closingMarks(line)) lastClosed.set(name, index);
  }
  const begins = (line: string, index: number) =>
    openingMarks(line).find((mark) => {
      if (line.slice(0, mark.index).trim() === '') return true;
      if (line[mark.index - 1] === '`') return false;
      const closed = lastClosed.get(mark.name) ?? -1;
      return closed > index || closingMarks(mark.rest).some(({ name }) => name === mark.name);
    });
  return {
    endsAlone: (line: string) =>
      closingMarks(line).some(({ index, rest }) => (line.slice(0, index) + rest).trim() === ''),
    /** The line without reasoning, or null where nothing is left of it. */
    leaveOut(line: string, index: number, forget: () => void): string | null {
      let kept = '';
      let rest = line;
      let cut = false;
      // Bounded: each turn reads the rest of the line.
      for (let turn = 0; turn < 32; turn++) {
        if (within !== null) {
          const name: string = within;
          const end = closingMarks(rest).find((mark) => mark.name === name);
          if (end === undefined) return kept.trim() === '' ? null : kept;
          within = null;
          rest = end.rest;
          cut = true;
          continue;
        }
        const begin = begins(rest, index);
        const stray = closingMarks(rest).find(({ index: at }) => rest[at - 1] !== '`');
        if (stray !== undefined && (begin === undefined || stray.index < begin.index)) {
          forget();
          kept = '';
          rest = stray.rest;
          cut = true;
          continue;
        }
        if (begin === undefined) break;
        kept += rest.slice(0, begin.index);
        within = begin.name;
        rest = begin.rest;
        cut = true;
      }
      if (within !== null) return kept.trim() === '' ? null : kept;
      // What follows a mark in its line may open a fence.
      const left = cut ? kept + rest.trimStart() : rest;
      return cut && left.trim() === '' ? null : left;
    },
  };
}

/** How many of the containers the line continues, and what is left of it behind their prefixes. */
function enter(line: string, containers: readonly Container[]): { depth: number; rest: string } {
  let rest = line;
  let depth = 0;
  for (const container of containers) {
    if (container === 'quote') {
      const marker = /^ {0,3}>/.exec(rest);
      if (marker === null) break;
      rest = unindent(rest.slice(marker[0].length), 1);
    } else if (rest.trim() !== '') {
      if (indentOf(rest) < container) break;
      rest = unindent(rest, container);
    }
    depth++;
  }
  return { depth, rest };
}

/** Opens the containers that begin in the line; gives what is left of it. */
function nest(line: string, containers: Container[]): string {
  let rest = line;
  while (containers.length < maxDepth) {
    const quote = /^ {0,3}>/.exec(rest);
    if (quote !== null) {
      containers.push('quote');
      rest = unindent(rest.slice(quote[0].length), 1);
      continue;
    }
    const item = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/.exec(rest);
    if (item === null || isRule(rest)) break;
    const behind = rest.slice(item[0].length);
    const space = indentOf(behind);
    const gap = behind.trim() === '' || space > 4 ? 1 : space;
    containers.push(item[0].length + gap);
    rest = unindent(behind, gap);
  }
  return rest;
}

/** A thematic break, which looks like a list item: `* * *`. */
function isRule(line: string): boolean {
  const marks = line.replace(/[ \t]/g, '');
  return marks.length >= 3 && /^[-*]/.test(marks) && marks === marks[0]!.repeat(marks.length);
}

function opens(line: string): Fence | null {
  const indent = indentOf(line);
  if (indent > 3) return null;
  const text = line.slice(indent);
  const mark = text[0];
  if (mark !== '`' && mark !== '~') return null;
  const length = run(text, mark);
  const info = text.slice(length).trim();
  if (length < 3 || (mark === '`' && info.includes('`'))) return null;
  return { mark, length, indent, tag: tagOf(info), lines: [] };
}

function closes(line: string, fence: Fence): boolean {
  const indent = indentOf(line);
  if (indent > 3 || line[indent] !== fence.mark) return false;
  const text = line.slice(indent);
  const length = run(text, fence.mark);
  return length >= fence.length && text.slice(length).trim() === '';
}

/** `Python`, `{.python}`, `python:main.py` and `python title="x"` are all `python`. */
function tagOf(info: string): string {
  return (/^\{?\s*\.?([\w+#-]+)/.exec(info.slice(0, 100))?.[1] ?? '').toLowerCase();
}

function run(text: string, mark: string): number {
  let length = 0;
  while (text[length] === mark) length++;
  return length;
}

/** Columns of white space at the beginning; a tab reaches to the next multiple of four. */
function indentOf(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === ' ') columns++;
    else if (character === '\t') columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

/** The line without up to so many columns of white space; what a tab has left over stays as spaces. */
function unindent(line: string, columns: number): string {
  let column = 0;
  let index = 0;
  while (column < columns && (line[index] === ' ' || line[index] === '\t')) {
    column += line[index] === ' ' ? 1 : 4 - (column % 4);
    index++;
  }
  return ' '.repeat(Math.max(0, column - columns)) + line.slice(index);
}

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { didYouMean } from '../config/index.js';
import type { ChatMessage } from '../tokenizer/index.js';
import { isExpected } from './errors.js';
import type { Replier } from './replier.js';
import { type SamplingSettings, settingNames, withSetting } from './sampling.js';

export interface ChatOptions {
  readonly replier: Replier;
  readonly settings: SamplingSettings;
  readonly system: string | null;
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** The conversation, and what the commands change of it. */
interface Session {
  turns: Turn[];
  system: string | null;
  settings: SamplingSettings;
  /** Replies so far: each draws with a seed of its own, so that a retry gives another answer. */
  replies: number;
}

const help = `/help                 this list (also ?)
/new                  forget the conversation (also clear, reset)
/system TEXT          set the system message; without TEXT remove it
/set NAME VALUE       change how answers are sampled: ${settingNames.join(', ')}
/status               show the settings (also params)
/history              show the conversation
/retry                answer the last question anew (also regen)
/undo                 take back the last question and its answer
/save [PATH]          write the conversation as a line of JSONL
/quit                 leave (also exit, q)
A \\ at the end of a line continues it on the next. Ctrl-C stops an answer.`;

const aliases: Readonly<Record<string, string>> = {
  '?': 'help',
  clear: 'new',
  reset: 'new',
  params: 'status',
  regen: 'retry',
  exit: 'quit',
  q: 'quit',
};

const commands = ['help', 'new', 'system', 'set', 'status', 'history', 'retry', 'undo', 'save', 'quit'];

/** A conversation in the terminal, until /quit or the end of the input; resolves to the exit code. */
export async function chat({ replier, settings, system, input, output }: ChatOptions): Promise<number> {
  const session: Session = { turns: [], system, settings, replies: 0 };
  const print = (line: string): void => {
    output.write(`${line}\n`);
  };
  const terminal = input.isTTY === true;
  const lines = createInterface({ input, ...(terminal && { output }), terminal, prompt: '> ' });
  let answering: AbortController | null = null;
  const stopReply = (): void => {
    if (answering) answering.abort();
    else print('\n(/quit leaves)');
  };
  lines.on('SIGINT', stopReply);
  process.on('SIGINT', stopReply);

  const reply = async (): Promise<void> => {
    answering = new AbortController();
    try {
      const seed = (session.settings.seed + session.replies++) >>> 0;
      const answer = await replier.reply(
        messages(session),
        { ...session.settings, seed },
        (text) => output.write(text),
        answering.signal,
      );
      const ending = { stop: '', length: ' (length limit)', aborted: ' (stopped)' }[answer.finishReason];
      print(`\n[${answer.tokens} tokens, ${(answer.tokens / answer.seconds).toFixed(1)} tok/s]${ending}`);
      session.turns.push({ role: 'assistant', content: answer.text });
    } catch (error) {
      session.turns.pop();
      if (!isExpected(error)) throw error;
      print(`error: ${(error as Error).message}`);
    } finally {
      answering = null;
    }
  };

  try {
    print('Type a message, or /help.');
    lines.prompt();
    let pending = '';
    for await (const line of lines) {
      if (line.endsWith('\\')) {
        pending += `${line.slice(0, -1)}\n`;
        continue;
      }
      const text = (pending + line).trim();
      pending = '';
      if (text.startsWith('/') || text === '?') {
        if ((await command(text, session, print, reply)) === 'quit') return 0;
      } else if (text !== '') {
        session.turns.push({ role: 'user', content: text });
        await reply();
      }
      lines.prompt();
    }
    return 0;
  } finally {
    process.off('SIGINT', stopReply);
    lines.close();
  }
}

async function command(
  text: string,
  session: Session,
  print: (line: string) => void,
  reply: () => Promise<void>,
): Promise<'quit' | undefined> {
  const [, word = '', rest = ''] = /^\/?(\S*)\s*([\s\S]*)$/.exec(text)!;
  const name = aliases[word] ?? word;
  switch (name) {
    case 'help':
      print(help);
      return undefined;
    case 'new':
      session.turns = [];
      print('(new conversation)');
      return undefined;
    case 'system':
      session.system = rest === '' ? null : rest;
      print(rest === '' ? '(no system message)' : '(system message set)');
      return undefined;
    case 'set':
      set(rest, session, print);
      return undefined;
    case 'status':
      for (const [key, value] of Object.entries(session.settings)) print(`${key.padEnd(20)} ${value}`);
      print(`${'system'.padEnd(20)} ${session.system ?? '(none)'}`);
      return undefined;
    case 'history':
      for (const { role, content } of messages(session)) print(`${role}: ${content}`);
      return undefined;
    case 'retry':
      if (session.turns.at(-1)?.role === 'assistant') session.turns.pop();
      if (session.turns.length === 0) print('(there is no question yet)');
      else await reply();
      return undefined;
    case 'undo':
      if (session.turns.at(-1)?.role === 'assistant') session.turns.pop();
      session.turns.pop();
      print(`(${session.turns.length} messages left)`);
      return undefined;
    case 'save':
      save(rest, session, print);
      return undefined;
    case 'quit':
      return 'quit';
    default:
      print(`there is no command /${word}${didYouMean(word, commands)}; /help lists them`);
      return undefined;
  }
}

function messages({ system, turns }: Session): ChatMessage[] {
  return [
    ...(system === null ? [] : [{ role: 'system', content: system }]),
    ...turns.map(({ role, content }) => ({ role, content })),
  ];
}

function set(rest: string, session: Session, print: (line: string) => void): void {
  const [name = '', value = ''] = rest.split(/[\s=]+/);
  try {
    session.settings = withSetting(session.settings, name, value);
    print(`(${name} ${value})`);
  } catch (error) {
    print(`error: ${(error as Error).message}`);
  }
}

function save(rest: string, session: Session, print: (line: string) => void): void {
  const path = resolve(rest === '' ? 'chat.jsonl' : rest);
  try {
    // Appended: an earlier conversation in the file stays.
    writeFileSync(path, `${JSON.stringify({ messages: messages(session) })}\n`, { flag: 'a' });
    print(`(saved to ${path})`);
  } catch (error) {
    print(`error: cannot write ${path}: ${(error as Error).message}`);
  }
}

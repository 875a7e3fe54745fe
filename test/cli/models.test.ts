import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { chat } from '../../src/cli/chat.js';
import { run as mergeLora } from '../../src/cli/merge-lora.js';
import type { Replier } from '../../src/cli/replier.js';
import { openReplier } from '../../src/cli/replier.js';
import { defaultSettings, type SamplingSettings, withSetting } from '../../src/cli/sampling.js';
import { findModel, train } from '../../src/run/index.js';
import type { ChatMessage } from '../../src/tokenizer/index.js';
import { recordingConsole, root, tinyKeys, tinyRun, writeRows } from '../run/support.js';

let directory: string;
const base = () => join(directory, 'base');
const adapter = () => join(directory, 'adapter');

const loraKeys = () => ({
  base_model: base(),
  adapter: 'lora',
  lora_r: 4,
  lora_alpha: 8,
  lora_target_linear: true,
  num_epochs: 10,
  learning_rate: 2e-2,
  output_dir: adapter(),
});

// One base model that counts on, and one adapter on it, for all tests of this file.
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'anneal-test-'));
  writeRows(directory, 16);
  const console = recordingConsole();
  await train(tinyRun(directory, { num_epochs: 30, output_dir: base() }), { console });
  await train(tinyRun(directory, loraKeys()), { console });
  writeFileSync(join(directory, 'run.yaml'), stringify(tinyKeys(directory, loraKeys())));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function anneal(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args], {
    cwd: root,
    encoding: 'utf8',
    input,
  });
  return { status, stdout, stderr };
}

const greedy = ['--temperature', '0', '--repetition-penalty', '1', '--max-new-tokens', '24'];

describe('inference', () => {
  test('answers from --prompt and from stdin alike, with the adapter of the run, its template and its stop token', () => {
    const asked = anneal(['inference', join(directory, 'run.yaml'), '--prompt', 'What is 7 plus 3?', ...greedy]);
    expect(asked.status, asked.stderr).toBe(0);
    expect(asked.stderr).toContain(`adapter ${adapter()} on ${base()}`);
    expect(asked.stdout).toMatch(/^\d+ plus \d+ is \d+\.+\n$/);
    const piped = anneal(['inference', adapter(), ...greedy], 'What is 7 plus 3?\n');
    expect(piped.stdout).toBe(asked.stdout);
  });

  test('wrong use is told in one line', () => {
    expect(anneal(['inference', base(), '--learning-rate', '1']).stderr).toMatch(
      /--learning-rate=1 is no option of this command.*is a model/,
    );
    expect(anneal(['inference', join(directory, 'bas')]).stderr).toMatch(/does not exist.*base/);
    expect(anneal(['inference', base(), '--prompt', 'x', '--top-p', '2']).stderr).toContain(
      'top_p is "2"; it must be a number above 0 and at most 1',
    );
  });
});

describe('merge-lora', () => {
  test('leaves a file alone that stands where the model should go', async () => {
    const file = join(directory, 'notes.txt');
    writeFileSync(file, 'mine');
    await expect(mergeLora([adapter(), '--output', file])).rejects.toThrow(/or a part of the path, is a file/);
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  test('writes a model that answers as the adapter does, and refuses to write over it', async () => {
    expect(await mergeLora([join(directory, 'run.yaml')])).toBe(0);
    const merged = join(adapter(), 'merged');
    expect(readdirSync(merged)).toEqual(
      expect.arrayContaining(['config.json', 'model.safetensors', 'tokenizer.json', 'chat_template.jinja']),
    );
    const answers = [];
    for (const path of [adapter(), merged, base()]) {
      const replier = await openReplier(await findModel(path, recordingConsole()));
      const settings = { ...defaultSettings, temperature: 0, repetition_penalty: 1, max_new_tokens: 24 };
      answers.push((await replier.reply([{ role: 'user', content: 'What is 7 plus 3?' }], settings, () => {})).text);
      await replier.close();
    }
    expect(answers[1]).toBe(answers[0]);
    await expect(mergeLora([adapter()])).rejects.toThrow(/merged is not empty\. Nothing was touched/);
    await expect(mergeLora([base(), '--output', join(directory, 'm')])).rejects.toThrow(/There is no adapter to merge/);
    expect(existsSync(join(directory, 'm'))).toBe(false);
  });
});

describe('a conversation', () => {
  /** Answers with the number of messages it was given and its seed. */
  const fake = (seen: { messages: readonly ChatMessage[]; settings: SamplingSettings }[]): Replier => ({
    async reply(prompt, settings, onText) {
      const messages = prompt as readonly ChatMessage[];
      seen.push({ messages, settings });
      const answer = `${messages.length} messages, seed ${settings.seed}`;
      onText(answer);
      return { text: answer, tokens: 4, seconds: 1, finishReason: 'stop' };
    },
    close: () => Promise.resolve(),
  });

  async function talk(...lines: string[]) {
    const seen: { messages: readonly ChatMessage[]; settings: SamplingSettings }[] = [];
    const [input, output] = [new PassThrough(), new PassThrough()];
    input.end(`${lines.join('\n')}\n`);
    const settings = { ...defaultSettings, seed: 5 };
    const code = await chat({ replier: fake(seen), settings, system: null, input, output });
    output.end();
    return { seen, code, shown: await text(output) };
  }

  test('turns add up, /retry draws anew, /undo and /new take back, /system comes first', async () => {
    const { seen, code } = await talk(
      'one',
      '/retry',
      'two',
      '/undo',
      '/system be brief',
      'three',
      '/new',
      'four',
      '/quit',
      'five',
    );
    expect(code).toBe(0);
    expect(seen.map(({ messages }) => messages.map((message) => message.content))).toEqual([
      ['one'],
      ['one'],
      ['one', '1 messages, seed 6', 'two'],
      ['be brief', 'one', '1 messages, seed 6', 'three'],
      ['be brief', 'four'],
    ]);
    expect(seen.map(({ settings }) => settings.seed)).toEqual([5, 6, 7, 8, 9]);
  });

  test('/set changes the sampling; wrong names and values are told, with the nearest name', async () => {
    const { seen, shown } = await talk(
      '/set temperature 0.2',
      '/set temperatur 1',
      '/set top_p 7',
      '/hstory',
      '/status',
      'hi',
    );
    expect(seen[0]!.settings.temperature).toBe(0.2);
    expect(shown).toContain('there is no setting "temperatur"; did you mean "temperature"?');
    expect(shown).toContain('top_p is "7"; it must be');
    expect(shown).toContain('there is no command /hstory; did you mean "history"?');
    expect(shown).toMatch(/temperature +0\.2\n/);
  });

  test('a line that ends with a backslash goes on; /save writes the conversation as a row', async () => {
    const path = join(directory, 'chat.jsonl');
    const { seen } = await talk('first\\', 'second', `/save ${path}`);
    expect(seen[0]!.messages[0]!.content).toBe('first\nsecond');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      messages: [
        { role: 'user', content: 'first\nsecond' },
        { role: 'assistant', content: '1 messages, seed 5' },
      ],
    });
  });

  test('a conversation beyond the positions of the model is told, and can go on after /new', async () => {
    const replier = await openReplier(await findModel(base(), recordingConsole()));
    const [input, output] = [new PassThrough(), new PassThrough()];
    input.end(`${'word '.repeat(300)}\n/history\nWhat is 2 plus 2?\n`);
    const settings = withSetting({ ...defaultSettings, temperature: 0 }, 'max-new-tokens', '8');
    await chat({ replier, settings, system: null, input, output });
    await replier.close();
    output.end();
    const shown = await text(output);
    expect(shown).toMatch(/error: the conversation has \d+ tokens, and the model has 256 positions/);
    expect(shown).toMatch(/\[\d+ tokens, .* tok\/s\]/);
  });
});

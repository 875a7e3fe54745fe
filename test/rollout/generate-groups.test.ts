import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  completionLength,
  contextLength,
  generateGroups,
  isTruncated,
  preparePrompt,
  sampleSeed,
  stopTokens,
} from '../../src/rollout/index.js';
import { characterTokenizer, fakeEngine, samplingParams } from './fakes.js';

const prepare = (id: string, text = id) => preparePrompt(characterTokenizer, { id, prompt: text, columns: {} });
const options = { numGenerations: 2, params: samplingParams, seed: 42, step: 3 };

describe('prompts', () => {
  it('render a conversation up to the header of the answer, and plain text with bos', () => {
    const chat = preparePrompt(characterTokenizer, {
      id: 'a',
      prompt: [{ role: 'user', content: 'hi' }],
      columns: { answer: 3 },
    });
    expect(chat.text).toBe('user:hi<|im_end|>\nassistant:');
    expect(characterTokenizer.decode(chat.tokens)).toBe(chat.text);
    expect(chat.columns).toEqual({ answer: 3 });
    expect(characterTokenizer.decode(prepare('b', 'hi').tokens)).toBe('<s>hi');
  });

  it('name the row when a conversation has no template to go through', () => {
    const plain = { ...characterTokenizer, chatTemplate: null };
    expect(() => preparePrompt(plain, { id: 'data.jsonl:3', prompt: [], columns: {} })).toThrow(
      /data\.jsonl:3.*chat template/,
    );
  });
});

describe('stop tokens', () => {
  it('are eos and what the template puts behind an answer', () => {
    expect(stopTokens(characterTokenizer)).toEqual([1, 2]);
    expect(stopTokens({ ...characterTokenizer, chatTemplate: null })).toEqual([1]);
  });
});

describe('groups of rollouts', () => {
  it('hold spans, text without special tokens, and whether they were cut off', async () => {
    const engine = fakeEngine((_, __, index) =>
      index === 0 ? { text: 'ab</s>c<|im_end|>' } : { text: 'abcdefgh', finishReason: 'length' },
    );
    const [group] = await generateGroups(engine, characterTokenizer, [prepare('q')], options);
    const [first, second] = group!.rollouts;
    expect(first).toMatchObject({ id: '3-0-0', step: 3, group: 0, promptId: 'q', promptText: 'q', text: 'abc' });
    expect(first!.spans.map(({ kind, policyVersion }) => [kind, policyVersion])).toEqual([
      ['prompt', undefined],
      ['assistant', 7],
    ]);
    expect([completionLength(first!), contextLength(first!)]).toEqual([5, 2]);
    expect([isTruncated(first!), isTruncated(second!)]).toEqual([false, true]);
    expect(second!.text).toBe('abcdefgh');
  });

  it('drop a stop token from the text that the tokenizer does not know as special', async () => {
    const stop = characterTokenizer.encode('!')[0]!;
    const params = { ...samplingParams, stopTokens: [stop] };
    const engine = fakeEngine(() => ({ text: 'a!b!' }));
    const [group] = await generateGroups(engine, characterTokenizer, [prepare('q')], { ...options, params });
    expect(group!.rollouts[0]!.text).toBe('a!b');
  });

  it('draw each sample with a seed that does not depend on its batch', async () => {
    const engine = fakeEngine((_, { seed }) => ({ text: `${seed}</s>` }));
    const alone = await generateGroups(engine, characterTokenizer, [prepare('q')], options);
    const among = await generateGroups(engine, characterTokenizer, [prepare('x'), prepare('q')], options);
    expect(among[1]!.rollouts.map(({ text }) => text)).toEqual(alone[0]!.rollouts.map(({ text }) => text));
    const seeds = engine.requests.slice(2).map(({ seed }) => seed);
    expect(new Set(seeds).size).toBe(4);
    const nextStep = await generateGroups(engine, characterTokenizer, [prepare('q')], { ...options, step: 4 });
    expect(nextStep[0]!.rollouts[0]!.seed).not.toBe(alone[0]!.rollouts[0]!.seed);
  });

  it('use the documented hash for seeds', () => {
    const digest = createHash('sha256').update('[42,3,"q",1]').digest('hex');
    expect(sampleSeed(42, 3, 'q', 1)).toBe(Number.parseInt(digest.slice(0, 8), 16));
  });

  it('report progress, and throw the reason of an abort', async () => {
    const progress: unknown[] = [];
    const engine = fakeEngine(() => ({ text: 'ab</s>' }));
    await generateGroups(engine, characterTokenizer, [prepare('q')], {
      ...options,
      onProgress: (state) => progress.push(state),
    });
    expect(progress.at(-1)).toEqual({ finished: 2, total: 2, sampledTokens: 6 });
    const aborted = generateGroups(engine, characterTokenizer, [prepare('q')], {
      ...options,
      signal: AbortSignal.abort(new Error('enough')),
    });
    await expect(aborted).rejects.toThrow('enough');
  });
});

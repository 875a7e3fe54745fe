import { describe, expect, it } from 'vitest';
import { loadRewards, type RewardSpec } from '../../../src/rl/index.js';

async function judge(spec: RewardSpec, completion: string, columns: Record<string, unknown> = {}, tokens = 0) {
  const [reward] = await loadRewards([spec], { baseDir: '.' });
  const values = await reward!.score(
    ['question'],
    [completion],
    Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, [value]])),
    { completionIds: [new Int32Array(tokens)], signal: new AbortController().signal },
  );
  return values[0];
}

const solution = 'He sells 16 - 3 = <<16-3=13>>13 eggs for $2 each.\n#### 1,026';

describe('gsm8k', () => {
  it.each([
    ['so it is\n#### 1026', 1],
    ['#### 1,026', 1],
    ['  ####  $1,026.00 ', 1],
    ['#### 1026.', 1],
    ['#### 1\n#### 1026', 1],
    ['#### 1026\n#### 1', 0],
    ['#### 1026\nand then some more', 1],
    ['the answer is 1026', 0],
    ['so #### 1026', 0],
    ['#### 1026 eggs', 0],
    ['#### 10,26', 0],
    ['#### -1026', 0],
    ['####', 0],
    ['', 0],
  ])('%j → %d', async (completion, reward) => {
    expect(await judge('gsm8k', completion, { answer: solution })).toBe(reward);
  });

  it('takes a bare ground truth, as text or number, from another column too', async () => {
    expect(await judge('gsm8k', '#### -0.50', { answer: '-.5' })).toBe(1);
    expect(await judge({ name: 'gsm8k', column: 'target' }, '#### 50%', { target: 50 })).toBe(1);
    expect(await judge('gsm8k', '#### \u22123', { answer: -3 })).toBe(1);
  });

  it('tells numbers apart that a double cannot', async () => {
    expect(await judge('gsm8k', '#### 9007199254740993', { answer: '9007199254740992' })).toBe(0);
  });

  it('has nothing to say where the ground truth is no number', async () => {
    expect(await judge('gsm8k', '#### 3', { answer: 'three' })).toBeNull();
    expect(await judge('gsm8k', '#### 3', { answer: null })).toBeNull();
  });
});

describe('gsm8k_flexible', () => {
  it.each([
    ['That makes 18 in all.', '18', 1],
    ['First 18, then 19', '18', 0],
    ['It costs $1,234.50!', '1234.5', 1],
    ['so 5 - 8 = -3', '-3', 1],
    ['a loss of -$3', '-3', 1],
    ['range 16-3', '3', 1],
    ['1,2345', '2345', 1],
    ['50%', '50', 1],
    ['no idea', '18', 0],
  ])('%j against %s → %d', async (completion, answer, reward) => {
    expect(await judge('gsm8k_flexible', completion, { answer })).toBe(reward);
  });
});

describe('exact_match', () => {
  it('compares the whole completion, white space around it aside', async () => {
    expect(await judge('exact_match', ' Paris\n', { answer: 'Paris' })).toBe(1);
    expect(await judge('exact_match', 'It is Paris', { answer: 'Paris' })).toBe(0);
    expect(await judge('exact_match', 'paris', { answer: 'Paris' })).toBe(0);
    expect(await judge({ name: 'exact_match', ignore_case: true }, 'paris', { answer: 'Paris' })).toBe(1);
    expect(await judge('exact_match', '7', { answer: 7 })).toBe(1);
    expect(await judge('exact_match', '7', { answer: null })).toBeNull();
  });
});

describe('boxed_answer', () => {
  it.each([
    [String.raw`thus \boxed{42}`, '42', 1],
    [String.raw`\boxed{1} no, \boxed{42}.`, '42', 1],
    [String.raw`\boxed{42} no, \boxed{1}`, '42', 0],
    [String.raw`\boxed{\frac{1}{2}}`, String.raw`so \boxed{\dfrac12}`, 1],
    [String.raw`\boxed{1/2}`, String.raw`\frac{1}{2}`, 1],
    [String.raw`\boxed{\left( 3, \sqrt2 \right)}`, String.raw`(3,\sqrt{2})`, 1],
    [String.raw`\boxed{\{1, 2\}}`, String.raw`\{1,2\}`, 1],
    [String.raw`\boxed{x = 1{,}000}`, '1000', 1],
    [String.raw`\boxed{x = 1,000.0}`, '1000', 1],
    [String.raw`\boxed{10\text{ cm}}`, '10', 1],
    [String.raw`\boxed{\text{Monday}}`, 'Monday', 1],
    [String.raw`\boxed{45^\circ}`, '45', 1],
    [String.raw`\boxed{\$12}`, '12', 1],
    [String.raw`\boxed{0.5}`, String.raw`\frac{1}{2}`, 0],
    [String.raw`\boxed{\frac{1}{2`, String.raw`\frac{1}{2}`, 0],
    ['42', '42', 0],
  ])('%s against %s → %d', async (completion, answer, reward) => {
    expect(await judge('boxed_answer', completion, { answer })).toBe(reward);
  });
});

describe('format_regex', () => {
  it('finds the pattern, the same at every call', async () => {
    const [reward] = await loadRewards([{ name: 'format_regex', pattern: '^<think>.*</think>', flags: 'sg' }], {
      baseDir: '.',
    });
    const context = { completionIds: [], signal: new AbortController().signal };
    for (let call = 0; call < 2; call++) {
      expect(await reward!.score(['', ''], ['<think>a\nb</think> 3', 'x <think></think>'], {}, context)).toEqual([
        1, 0,
      ]);
    }
  });

  it('refuses a missing or broken pattern', async () => {
    await expect(judge('format_regex', '')).rejects.toThrow('needs a pattern');
    await expect(judge({ name: 'format_regex', pattern: '(' }, '')).rejects.toThrow('Unterminated group');
  });
});

describe('length', () => {
  it.each([
    [4, 0],
    [9, 0.75],
    [10, 1],
    [20, 1],
    [22, 0.5],
    [30, 0],
  ])('of %d tokens in 10–20 with a margin of 4 → %d', async (tokens, reward) => {
    expect(await judge({ name: 'length', min: 10, max: 20, margin: 4 }, 'x', {}, tokens)).toBe(reward);
  });

  it('counts characters and ends at once without a margin', async () => {
    expect(await judge({ name: 'length', max: 3, unit: 'characters' }, 'abc')).toBe(1);
    expect(await judge({ name: 'length', max: 3, unit: 'characters' }, 'abcd')).toBe(0);
  });

  it('refuses bounds that make no sense', async () => {
    await expect(judge('length', '')).rejects.toThrow('needs min or max');
    await expect(judge({ name: 'length', min: 5, max: 3 }, '')).rejects.toThrow('min 5 is above max 3');
    await expect(judge({ name: 'length', max: '3' }, '')).rejects.toThrow('max must be a number, not "3"');
    await expect(judge({ name: 'length', maks: 3 }, '')).rejects.toThrow('Did you mean "max"?');
    await expect(judge({ name: 'length', max: 3, unit: 'token' }, '')).rejects.toThrow('Did you mean "tokens"?');
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Gym, loadEnvironment, openGym } from '../../../src/gym/index.js';
import { type EnvironmentQa, loadAttacks, type QaOptions, qa } from '../../../src/gym/qa/index.js';
import { describeIsolatedPython } from '../support.js';
import { environmentWith, reference } from './support.js';

/** One quick attack, few mutants: what is looked for is somewhere else. */
const brief: QaOptions = { attack: 'odd-values', mutants: 8, repeats: 2 };

describeIsolatedPython('anneal gym qa', () => {
  let gym: Gym;
  beforeAll(async () => {
    gym = await openGym({ workers: 2 });
  });
  afterAll(() => gym.dispose());

  const removals: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const remove of removals.splice(0)) await remove();
  });

  async function examined(
    files: Readonly<Record<string, string | null>>,
    settings = '',
    options: QaOptions = brief,
  ): Promise<EnvironmentQa> {
    const { remove, ...environment } = await environmentWith(files, settings);
    removals.push(remove);
    return (await qa(gym, [environment], options)).results[0]!;
  }

  const kinds = (result: EnvironmentQa) => [...new Set(result.failures.map((failure) => failure.kind))];

  it('passes a good environment: no attack in Python succeeds, mutants are found', async () => {
    const result = await examined({}, '', {});
    expect(result.failures).toEqual([]);
    expect(result.passed).toBe(true);
    const all = (await loadAttacks()).filter((attack) => attack.language === 'python');
    expect(result.attacks.map((attack) => attack.name)).toEqual(all.map((attack) => attack.name));
    for (const attack of result.attacks) expect(attack).toMatchObject({ success: null });
    expect(result.mutants.killed).toBeGreaterThan(2);
    expect(result.worthless.answers).toBeGreaterThan(30);
  });

  it('fails a checker that takes whatever it is given', async () => {
    const checker = 'export function check(input, output, expected) { return expected !== undefined; }\n';
    const simple = 'def second(numbers):\n    if 1 < 2:\n        return 3\n    return 4\n';
    const files = { 'checker.js': checker, 'reference.py': simple };
    const result = await examined(files, 'checker: {script: checker.js, function: check}');
    expect(result.passed).toBe(false);
    expect(kinds(result)).toEqual(expect.arrayContaining(['worthless', 'attack', 'mutant', 'bad-answer']));
  });

  it('fails cases that a constant gets right', async () => {
    const lonely =
      'export const generate = ({ count, seed }) => Array.from({ length: count }, (_, at) => ({ input: [[at + seed * 1000]] }));\n';
    const result = await examined({ 'generator.js': lonely, 'bad/largest.py': null });
    expect(kinds(result)).toContain('worthless');
    expect(result.failures.map((failure) => failure.message).join()).toContain('constant None as python on train: 1');
  });

  it('notes the guard that no case asks for', async () => {
    const plain =
      'export const generate = ({ count, seed }) => Array.from({ length: count }, (_, at) => ({ input: [[at, at + seed, at * 7 + 1]] }));\n';
    const result = await examined({ 'generator.js': plain }, '', { ...brief, mutants: 100 });
    expect(result.mutants.survived).toContainEqual({
      reference: 'reference.py',
      line: 3,
      change: 'len(different) < 2 → False',
    });
    expect(result.warnings.some((warning) => warning.message.includes('reference.py:3'))).toBe(true);
  });

  it('fails a reference that is wrong, or right only now and then', async () => {
    const wrong = await examined(
      { 'reference-2.py': null, 'bad/largest.py': null, 'cases.yaml': '- {input: [[1, 2, 3]], expected: 3}\n' },
      'variants: {train: {cases: cases.yaml, generate: 10, seed: 1}}',
    );
    expect(kinds(wrong)).toContain('reference');
    const moody = `import time\n${reference.replace('    return different[-2]', '    return different[-2] if time.time_ns() // 1000 % 3 else 0')}`;
    const flaky = await examined({ 'reference.py': moody, 'bad/largest.py': null }, '', { ...brief, repeats: 8 });
    expect(flaky.passed).toBe(false);
    expect(kinds(flaky).some((kind) => kind === 'flaky' || kind === 'reference' || kind === 'unusable')).toBe(true);
  });

  it('fails a known-bad answer that earns more than it may', async () => {
    const result = await examined({ 'bad/right.py': reference });
    expect(kinds(result)).toEqual(['bad-answer']);
    expect(result.failures[0]!.message).toContain('bad/right.py');
  });

  it('says when an environment cannot be used', async () => {
    const result = await examined({ 'generator.js': 'export function generate() { throw new Error("no luck"); }\n' });
    expect(kinds(result)).toEqual(['unusable']);
    expect(result.failures[0]!.message).toContain('no luck');
  });

  it('judges environments that read their answer, with references that write it', async () => {
    const environment = await loadEnvironment('cyber/web_path_traversal_toy');
    const [result] = (await qa(gym, [environment], { mutants: 4 })).results;
    expect(result).toMatchObject({ failures: [], references: { failed: 0 } });
    expect(result!.attacks.map((attack) => attack.language)).toEqual(result!.attacks.map(() => 'document'));
  });

  it('knows its attacks', async () => {
    await expect(qa(gym, [], { attack: 'nonsense' })).rejects.toThrow('forged-stdout');
  });
});

describe('anneal gym qa without isolation', () => {
  it('refuses to let attacks loose', async () => {
    const gym = await openGym({ sandbox: 'none', workers: 1 });
    try {
      await expect(qa(gym, [])).rejects.toThrow('sandbox none would let them loose');
    } finally {
      await gym.dispose();
    }
  });
});

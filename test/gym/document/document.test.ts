import { expect, it } from 'vitest';
import type { Environment } from '../../../src/gym/environment/types.js';
import { documentReference, VerifierError, verify } from '../../../src/gym/verify/index.js';
import { testCases, testEnvironment } from '../make-environment.js';
import { isolatedContext } from '../script/context.js';
import { describeIsolatedPython } from '../support.js';

const checker = `
export function check(input, output, expected) {
  const first = output.text.includes(expected.word);
  return {
    score: first ? 0.75 : 0,
    passed: first,
    checks: [
      { id: 'word', passed: first, weight: 3, message: first ? null : 'no ' + input.hint },
      { id: 'extra', passed: false, weight: 1, message: 'always missing' },
    ],
  };
}`;

function document(over: Partial<Environment> = {}): Environment {
  const source = { language: 'javascript' as const, path: 'checker.js', text: checker };
  return testEnvironment({
    name: 'a_document',
    kind: 'document',
    languages: [],
    signature: null,
    passThreshold: 0.7,
    checker: { kind: 'script', source, functionName: 'check' },
    ...over,
  });
}

const cases = testCases([{ id: 'it', input: [{ d: [['hint', 'word']] }], expected: { d: [['word', 'sesame']] } }]);

describeIsolatedPython('a document', () => {
  const context = isolatedContext();

  it('is read by the checker, whose checks become the verdict’s cases and whose score is the score', async () => {
    const verdict = await verify(context(), document(), cases, 'open sesame', 'python');
    expect(verdict).toMatchObject({ score: 0.75, passed: true });
    expect(verdict.cases).toMatchObject([
      { id: 'it/word', passed: true, error: null, actual: 'open sesame' },
      { id: 'it/extra', passed: false, error: 'always missing' },
    ]);
  });

  it('is never run, and may be anything', async () => {
    for (const answer of [
      '',
      '\0\ud800',
      'import os; os._exit(0)',
      '{"score": 1}',
      '[]',
      'null',
      'x'.repeat(400_000),
    ]) {
      expect(await verify(context(), document(), cases, answer, 'python')).toMatchObject({ kind: 'scored', score: 0 });
    }
    const long = await verify(context(), document(), cases, 'sesame'.repeat(2_000_000), 'python');
    expect(long).toMatchObject({ score: 0, details: expect.stringContaining('characters long') });
  });

  it('has a reference that is a text, or a program that writes one from the case', async () => {
    const reference = (path: string, text: string) =>
      ({ language: path.endsWith('.py') ? 'python' : 'javascript', path, text }) as const;
    const written = (path: string, text: string) =>
      documentReference(context(), document(), cases, reference(path, text));
    expect(await written('reference.md', 'open')).toBe('open');
    expect(await written('reference.py', 'def answer(input):\n    return "py " + input["hint"]')).toBe('py word');
    expect(await written('reference.js', 'export const answer = (input) => "js " + input.hint;')).toBe('js word');
    await expect(written('reference.js', 'export const answer = () => 3;')).rejects.toThrow(VerifierError);
    await expect(written('reference.py', 'answer = 1 / 0')).rejects.toThrow('ZeroDivisionError');
  });

  it('gets no score from a checker that fails', async () => {
    const text = 'export function check(input, output) { return output.nothing.there; }';
    const broken = document({
      checker: { kind: 'script', source: { language: 'javascript', path: 'checker.js', text }, functionName: 'check' },
    });
    await expect(verify(context(), broken, cases, 'sesame', 'python')).rejects.toThrow(VerifierError);
  });

  it('that breaks a checker which reads the reference is worth 0', async () => {
    const text =
      'export function check(input, output, expected) { return JSON.parse(output.text).word === expected.word; }';
    const strict = document({
      checker: { kind: 'script', source: { language: 'javascript', path: 'checker.js', text }, functionName: 'check' },
      references: [{ language: 'javascript', path: 'reference.json', text: '{"word": "sesame"}' }],
    });
    expect(await verify(context(), strict, cases, '{"word": "sesame"}', 'python')).toMatchObject({ score: 1 });
    expect(await verify(context(), strict, cases, 'sesame', 'python')).toMatchObject({
      score: 0,
      cases: [{ id: 'it', error: expect.stringContaining('the checker fails on this output') }],
      metrics: { checkerFailures: 1 },
    });
  });
});

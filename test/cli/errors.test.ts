import { describe, expect, test } from 'vitest';
import { describeError } from '../../src/cli/errors.js';
import { UserError } from '../../src/config/index.js';

describe('an error that was thrown on purpose shows its message alone', () => {
  test.each([new UserError('rows.jsonl:3: no messages'), new Error('rows.jsonl:3: no messages')])('%o', (error) => {
    expect(describeError(error, {})).toEqual({ text: 'error: rows.jsonl:3: no messages', exitCode: 1 });
  });

  test('with its causes', () => {
    const error = new Error('cannot read the model', { cause: new Error('disk gone') });
    expect(describeError(error, {}).text).toBe('error: cannot read the model\n  because: disk gone');
  });

  test('and with the stack when that is asked for', () => {
    expect(describeError(new Error('x'), { ANNEAL_STACK: '1' }).text).toContain('errors.test.ts');
  });
});

test('everything else is called a bug and shows its stack', () => {
  const marked = Object.assign(new Error('inconsistent'), { expected: false });
  for (const error of [new TypeError('x is undefined'), marked]) {
    const { text, exitCode } = describeError(error, {});
    expect(text).toContain('errors.test.ts');
    expect(text).toContain('This is a bug in anneal');
    expect(exitCode).toBe(1);
  }
  expect(describeError('text', {}).text).toContain('thrown: text');
});

test('an abort is no error', () => {
  expect(describeError(new DOMException('aborted', 'AbortError'), {})).toEqual({ text: 'stopped', exitCode: 130 });
});

import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { appendFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Canary, openCanary } from '../../../src/gym/qa/canary.js';
import { loadAttacks } from '../../../src/gym/qa/index.js';
import { mutants } from '../../../src/gym/qa/mutants.js';
import { assignSplits } from '../../../src/gym/qa/splits.js';
import { literal } from '../../../src/gym/qa/worthless.js';

describe('the canary', () => {
  let canary: Canary;
  beforeAll(async () => {
    canary = await openCanary();
  });
  afterAll(() => canary.close());

  async function said(where: { port: number; host: string } | { path: string }, text: string): Promise<void> {
    const line = connect(where);
    await once(line, 'connect');
    line.end(text);
    await once(line, 'close');
  }

  /** Listeners hear a moment after the speaker has gone. */
  async function touches(count: number) {
    const found = [...(await canary.touched())];
    while (found.length < count) {
      await new Promise(setImmediate);
      found.push(...(await canary.touched()));
    }
    return found;
  }

  it('is untouched at first', async () => {
    expect(await canary.touched()).toEqual([]);
  });

  it('knows whose file it is, and that its secret changed', async () => {
    const token = canary.newToken();
    await writeFile(join(canary.directory, token), '');
    await appendFile(join(canary.directory, 'secret'), token);
    expect(await touches(2)).toEqual([
      { token, how: 'wrote a file outside of the sandbox' },
      { token, how: 'changed a file outside of the sandbox' },
    ]);
    expect(await canary.touched()).toEqual([]);
  });

  it('hears TCP, UDP and Unix sockets', async () => {
    const token = canary.newToken();
    await said({ port: canary.tcpPort, host: '127.0.0.1' }, token);
    await said({ path: join(canary.directory, 'socket') }, token);
    const udp = createSocket('udp4');
    udp.send(token, canary.udpPort, '127.0.0.1', () => udp.close());
    expect((await touches(3)).map((touch) => touch.token)).toEqual([token, token, token]);
  });

  it.runIf(process.platform === 'linux')('sees a process that goes on', async () => {
    const token = canary.newToken();
    const child = spawn('sleep', ['1000'], { argv0: token });
    await once(child, 'spawn');
    try {
      expect(await canary.touched()).toContainEqual({ token, how: 'left a process running' });
    } finally {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  });

  it('keeps its secret out of what attacks are told', () => {
    expect(canary.secret.startsWith(canary.mark)).toBe(true);
    expect(canary.secret.length).toBeGreaterThan(canary.mark.length + 30);
    expect(process.env.ANNEAL_QA_SECRET).toBe(canary.secret);
  });
});

describe('attacks', () => {
  it('each say what they do, in Python, JavaScript, bash and as a text', async () => {
    const attacks = await loadAttacks();
    expect(new Set(attacks.map((attack) => attack.language))).toEqual(
      new Set(['python', 'javascript', 'bash', 'document']),
    );
    for (const attack of attacks) {
      expect(attack.what).toMatch(/^[A-Z].+\.$/);
      expect(attack.texts.length).toBeGreaterThan(0);
      for (const text of attack.texts) expect(text.trim()).not.toBe('');
    }
  });
});

describe('mutants', () => {
  const changes = (text: string, language: 'python' | 'javascript') =>
    mutants(text, language, 100).map((mutant) => mutant.change);

  it('of Python leave strings, comments and arrows alone', () => {
    const text = `def f(x: int, *rest) -> int:  # 1 < 2
    """a < b"""
    if x <= 10 and x != -3:
        return "1 + 1"
    elif x: return f(x - 1, *rest)
    return True
`;
    expect(changes(text, 'python').sort()).toEqual(
      [
        '"1 + 1" → None',
        '10 → 11',
        '<= → <',
        'and → or',
        '!= → ==',
        '3 → 4',
        'x <= 10 and x != -3 → False',
        'x <= 10 and x != -3 → not (x <= 10 and x != -3)',
        'x → False',
        'x → not (x)',
        '- → +',
        '1 → 2',
        'f(x - 1, *rest) → None',
        'True → False',
        'True → None',
      ].sort(),
    );
  });

  it('of JavaScript change operators, constants, branches, guards and results', () => {
    const text = 'export function f(x) {\n  if (x < 1) return 0;\n  return x > 2 ? x * 3 : "a + b";\n}\n';
    expect(changes(text, 'javascript').sort()).toEqual(
      [
        'x < 1 → !(x < 1)',
        'x < 1 → false',
        '< → <=',
        '1 → 2',
        '0 → 1',
        '0 → undefined',
        '> → >=',
        '2 → 3',
        '* → +',
        '3 → 4',
        'x * 3 : "a + b" → "a + b" : x * 3',
        'x > 2 ? x * 3 : "a + b" → undefined',
      ].sort(),
    );
  });

  it('are spread over the source when there are too many', () => {
    const text = Array.from({ length: 50 }, (_, at) => `x${at} = ${at} + 1`).join('\n');
    const lines = mutants(text, 'python', 10).map((mutant) => mutant.line);
    expect(lines).toHaveLength(10);
    expect(lines.at(-1)! - lines[0]!).toBeGreaterThan(30);
  });

  it('of what does not parse there are none', () => {
    expect(mutants('function (', 'javascript', 10)).toEqual([]);
  });
});

describe('literals', () => {
  it('say every value in both languages', () => {
    const value = {
      t: [null, true, { i: '9007199254740993' }, { f: '-inf' }, { d: [['a', { s: [1] }]] as const }],
    } as const;
    expect(literal(value, 'python')).toBe('(None, True, 9007199254740993, float("-inf"), {"a": set([1])})');
    expect(literal(value, 'javascript')).toBe(
      '[null, true, 9007199254740993n, -Infinity, new Map([["a", new Set([1])]])]',
    );
  });
});

describe('splits', () => {
  const names = Array.from({ length: 40 }, (_, at) => `environment_${at}`);
  const count = (map: ReadonlyMap<string, string>, split: string) =>
    [...map.values()].filter((one) => one === split).length;

  it('follow the shares, with at least one for each', () => {
    const map = assignSplits(names);
    expect([
      count(map, 'canary'),
      count(map, 'private_holdout'),
      count(map, 'public_eval'),
      count(map, 'public_train'),
    ]).toEqual([2, 4, 8, 26]);
    const few = assignSplits(['a', 'b', 'c', 'd']);
    expect([count(few, 'canary'), count(few, 'private_holdout'), count(few, 'public_eval')]).toEqual([1, 1, 1]);
  });

  it('depend on seed and names, not on order', () => {
    expect([...assignSplits([...names].reverse()).entries()].sort()).toEqual([...assignSplits(names).entries()].sort());
    expect([...assignSplits(names, { seed: 1 }).values()]).not.toEqual([...assignSplits(names).values()]);
  });

  it('take what they are told, and refuse what makes no sense', () => {
    const map = assignSplits(names, { overrides: { environment_3: 'canary' } });
    expect(map.get('environment_3')).toBe('canary');
    expect(count(map, 'canary')).toBe(2);
    expect(() => assignSplits(names, { overrides: { other: 'canary' } })).toThrow('other');
    expect(() => assignSplits(names, { holdoutRatio: 2 })).toThrow('between 0 and 1');
    expect(() => assignSplits(names, { holdoutRatio: 0.6, publicEvalRatio: 0.6 })).toThrow('more than 1');
  });
});

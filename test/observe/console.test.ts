import { describe, expect, test } from 'vitest';
import { createConsole } from '../../src/observe/index.js';

const ESCAPE = '\x1b';
const tokens = new RegExp(`${ESCAPE}\\[\\d*[A-Za-z]|[\\s\\S]`, 'g');

/** What a terminal of one screen shows after the control codes that the console uses. */
function screen(output: string): string[] {
  const lines = [''];
  let row = 0;
  let column = 0;
  for (const [token] of output.matchAll(tokens)) {
    if (token === '\x1b[2K') lines[row] = '';
    else if (token === '\x1b[1A') row--;
    else if (token === '\r') column = 0;
    else if (token === '\n') {
      row++;
      column = 0;
      lines[row] ??= '';
    } else if (!token.startsWith('\x1b')) {
      lines[row] = lines[row]!.slice(0, column) + token + lines[row]!.slice(column + 1);
      column++;
    }
  }
  return lines.filter((line) => line !== '');
}

function setup(isTTY: boolean, columns = 100) {
  let output = '';
  let results = '';
  let time = 0;
  const console = createConsole({
    stderr: { isTTY, columns, write: (text) => (output += text) },
    stdout: { isTTY, columns, write: (text) => (results += text) },
    now: () => time,
    colour: false,
  });
  return {
    console,
    pass: (milliseconds: number) => (time += milliseconds),
    screen: () => screen(output),
    output: () => output,
    results: () => results,
  };
}

describe('on a terminal', () => {
  test('a bar shows count, rate and the time left', () => {
    const { console, pass, screen } = setup(true);
    const bar = console.progress({ label: 'train', total: 100, unit: 'steps' });
    pass(10_000);
    bar.update(20, 'loss 1.5');
    expect(screen()).toEqual(['train  ━━━━━───────────────────  20/100 steps  2 steps/s  ETA 0:40  loss 1.5']);
  });

  test('log lines stand above the bars, and bars under each other', () => {
    const { console, pass, screen } = setup(true);
    const outer = console.progress({ label: 'train', total: 2, unit: 'steps' });
    const inner = console.progress({ label: 'sample', total: 10, unit: 'answers' });
    console.log('step 1  loss 2');
    pass(1000);
    inner.update(5);
    console.warn('a row was dropped');
    expect(screen().map((line) => line.split('  ')[0])).toEqual([
      'step 1',
      'warning: a row was dropped',
      'train',
      'sample',
    ]);
    pass(1000);
    inner.stop();
    expect(screen().slice(2)).toEqual([
      'sample  5/10 answers  2.5 answers/s  in 0:02',
      'train  ────────────────────────  0/2 steps  0:02',
    ]);
    outer.stop();
    console.log('done');
    expect(screen().at(-1)).toBe('done');
  });

  test('a bar is never wider than the terminal', () => {
    const { console, screen } = setup(true, 30);
    console.progress({ label: 'a label that is rather long', total: 5, unit: 'steps' });
    expect(screen()).toHaveLength(1);
    expect(screen()[0]!.length).toBeLessThan(30);
  });

  test('closing takes open bars away', () => {
    const { console, screen } = setup(true);
    console.progress({ label: 'train', total: 5, unit: 'steps' });
    console.close();
    expect(screen()).toEqual([]);
  });
});

describe('off a terminal', () => {
  test('progress is a plain line every few seconds', () => {
    const { console, pass, output } = setup(false);
    const bar = console.progress({ label: 'train', total: 40, unit: 'steps' });
    for (let step = 1; step <= 12; step++) {
      pass(1000);
      bar.update(step);
    }
    bar.stop();
    expect(output()).toBe(
      [
        'train  5/40 steps  1 steps/s  ETA 0:35',
        'train  10/40 steps  1 steps/s  ETA 0:30',
        'train  12/40 steps  1 steps/s  in 0:12',
        '',
      ].join('\n'),
    );
  });

  test('a short task leaves no line', () => {
    const { console, pass, output } = setup(false);
    const bar = console.progress({ label: 'load', total: 1, unit: 'files' });
    pass(500);
    bar.update(1);
    bar.stop();
    expect(output()).toBe('');
  });
});

test('results go to stdout, everything else to stderr', () => {
  const { console, output, results } = setup(false);
  console.print('42');
  console.log('thinking');
  expect(results()).toBe('42\n');
  expect(output()).toBe('thinking\n');
});

test('steps done before a resumed run began do not count for the rate; slow units show their time', () => {
  const { console, pass, output } = setup(false);
  const bar = console.progress({ label: 'train', total: 103, unit: 'steps', initial: 100 });
  pass(90_000);
  bar.update(101);
  expect(output()).toBe('train  101/103 steps  1:30 each  ETA 3:00\n');
});

test('colours are used only where they are wanted', () => {
  const { console } = setup(true);
  expect(console.paint('red', 'x')).toBe('x');
  expect(createConsole({ colour: true }).paint('red', 'x')).toBe('\x1b[31mx\x1b[39m');
});

import { appendFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openMetrics, readMetrics } from '../../src/observe/index.js';
import { readEvents } from './read-events.js';

const workspace = () => mkdtempSync(join(tmpdir(), 'anneal-metrics-'));
const now = () => Date.UTC(2026, 0, 2, 3, 4, 5);

test('each call is one line of JSON with a schema version, in the file at once', () => {
  const directory = workspace();
  const metrics = openMetrics(directory, { tensorboard: false, now });
  metrics.log(1, { loss: 2.5, note: 'first' });
  expect(readFileSync(join(directory, 'metrics.jsonl'), 'utf8')).toBe(
    '{"schema":1,"step":1,"time":"2026-01-02T03:04:05.000Z","loss":2.5,"note":"first"}\n',
  );
  metrics.close();
  expect(readdirSync(directory)).toEqual(['metrics.jsonl']);
});

test('numbers that JSON cannot hold are kept, and the lines stay JSON', () => {
  const directory = workspace();
  const metrics = openMetrics(directory, { tensorboard: false });
  metrics.log(1, { loss: Number.NaN, grad_norm: Infinity, low: -Infinity });
  metrics.close();
  const path = join(directory, 'metrics.jsonl');
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
    loss: 'NaN',
    grad_norm: 'Infinity',
    low: '-Infinity',
  });
  expect(readMetrics(path)[0]).toMatchObject({ loss: Number.NaN, grad_norm: Infinity, low: -Infinity });
});

test('a resumed run forgets what was logged after its checkpoint, and a line cut short by a crash', () => {
  const directory = workspace();
  const path = join(directory, 'metrics.jsonl');
  const first = openMetrics(directory, { tensorboard: false });
  for (const step of [1, 2, 3]) first.log(step, { loss: step, bad: Number.NaN });
  first.close();
  appendFileSync(path, '{"schema":1,"st');

  const second = openMetrics(directory, { tensorboard: false, resumeStep: 2 });
  second.log(3, { loss: 30 });
  second.close();
  expect(readMetrics(path).map(({ step, loss }) => [step, loss])).toEqual([
    [1, 1],
    [2, 2],
    [3, 30],
  ]);
  expect(readMetrics(path)[0]!.bad).toBeNaN();
});

test('a new run in a used directory keeps the old metrics beside its own', () => {
  const directory = workspace();
  for (const loss of [1, 2, 3]) {
    const metrics = openMetrics(directory, { tensorboard: false });
    metrics.log(1, { loss });
    metrics.close();
  }
  const loss = (name: string) => readMetrics(join(directory, name))[0]!.loss;
  expect([loss('metrics-1.jsonl'), loss('metrics-2.jsonl'), loss('metrics.jsonl')]).toEqual([1, 2, 3]);
});

test.each([
  ['half a line', '{"step":3,"lo'],
  ['zeros, as a file system leaves them when the power fails', '\0\0\0\0\n'],
  ['half a line and its end', '{"st\n'],
])('a last line that is %s is left out, and its number told', (_, torn) => {
  const path = join(workspace(), 'metrics.jsonl');
  writeFileSync(path, `{"step":1}\n{"step":2}\n${torn}`);
  const told: number[] = [];
  expect(readMetrics(path, (line) => told.push(line)).map(({ step }) => step)).toEqual([1, 2]);
  expect(told).toEqual([3]);
});

test.each(['{"st', '\0\0', 'null', '{"loss":1}'])('%j in the middle is an error with its number', (line) => {
  const path = join(workspace(), 'metrics.jsonl');
  writeFileSync(path, `{"step":1}\n${line}\n{"step":3}\n`);
  expect(() => readMetrics(path)).toThrow(`${path}:2: not a line of metrics`);
  expect(() => readMetrics(path)).toThrow('Remove the line');
});

test('TensorBoard gets the numbers under train/ and eval/, and texts', () => {
  const directory = workspace();
  const metrics = openMetrics(directory, { tensorboard: true, now });
  metrics.log(10, { loss: 2.5, grad_norm: 0.5, note: 'text' });
  metrics.log(10, { eval_loss: 2 });
  metrics.text(0, 'config', 'seed: 42');
  metrics.close();
  const [file] = readdirSync(join(directory, 'runs'));
  const events = readEvents(join(directory, 'runs', file!));
  expect(events[0]).toMatchObject({ fileVersion: 'brain.Event:2', wallTime: now() / 1000 });
  expect(events.slice(2)).toMatchObject([
    {
      step: 10,
      summary: {
        value: [
          { tag: 'train/loss', simpleValue: 2.5 },
          { tag: 'train/grad_norm', simpleValue: 0.5 },
        ],
      },
    },
    { step: 10, summary: { value: [{ tag: 'eval/loss', simpleValue: 2 }] } },
    {
      summary: {
        value: [
          {
            tag: 'config/text_summary',
            metadata: { pluginData: { pluginName: 'text' } },
            tensor: {
              dtype: 7,
              tensorShape: { dim: [{ size: 1 }] },
              stringVal: [Buffer.from('seed: 42').toString('base64')],
            },
          },
        ],
      },
    },
  ]);
});

test('TensorBoard is told from which step on a resumed run writes anew', () => {
  const directory = workspace();
  for (const options of [{ tensorboard: true }, { tensorboard: true, resumeStep: 4 }]) {
    openMetrics(directory, { ...options, now }).close();
  }
  const files = readdirSync(join(directory, 'runs')).sort();
  expect(files).toHaveLength(2);
  const [, start] = readEvents(join(directory, 'runs', files[1]!));
  expect(start).toMatchObject({ step: 5, sessionLog: { status: 1 } });
});

import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findDataFiles, readJsonl } from '../../src/data/index.js';
import { file, folder } from './support.js';

async function read(path: string) {
  const rows: [number, unknown][] = [];
  for await (const { row, line } of readJsonl(path)) rows.push([line, row]);
  return rows;
}

describe('JSON Lines', () => {
  test('rows keep their line numbers over blank lines, CRLF, a byte order mark and a missing last newline', async () => {
    const path = file('a.jsonl', '\uFEFF{"a":1}\r\n\r\n  \n{"a":2}\r\n{"a":3}');
    expect(await read(path)).toEqual([
      [1, { a: 1 }],
      [4, { a: 2 }],
      [5, { a: 3 }],
    ]);
  });

  test('line separators of Unicode inside a text do not end the line', async () => {
    expect(await read(file('a.jsonl', '{"a":"x\u2028y\u2029z\u0085"}\n{"a":1}'))).toEqual([
      [1, { a: 'x\u2028y\u2029z\u0085' }],
      [2, { a: 1 }],
    ]);
  });

  test('characters that straddle the chunks of a large file come out whole', async () => {
    const rows = Array.from({ length: 3000 }, (_, index) => ({ index, text: '€🙂'.repeat((index % 17) + 20) }));
    const path = file('a.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'));
    expect((await read(path)).map(([, row]) => row)).toEqual(rows);
  });

  test.each([
    ['{"a":1}\n{"a":\n', /a\.jsonl:2 is not valid JSON .*\{"a":/],
    ['{"a":1}\n[1]\n', /a\.jsonl:2 is not a JSON object: \[1\]/],
    ['\n"text"\n', /a\.jsonl:2 is not a JSON object/],
    ['null', /a\.jsonl:1 is not a JSON object/],
  ])('%j is an error that names file, line and text', async (content, message) => {
    await expect(read(file('a.jsonl', content))).rejects.toThrow(message);
  });

  test('bytes that are not UTF-8 are an error', async () => {
    const path = file(
      'a.jsonl',
      Buffer.concat([Buffer.from('{"a":1}\n{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    );
    await expect(read(path)).rejects.toThrow(/not UTF-8/);
  });
});

describe('JSON arrays', () => {
  test('elements carry the line on which they begin', async () => {
    const path = file('a.json', '\n[\n  {"a": "]}\\"[,"},\n\n  {\n    "b": [1, {"c": 2}]\n  }, {"d": {}}\n]\n');
    expect(await read(path)).toEqual([
      [3, { a: ']}"[,' }],
      [5, { b: [1, { c: 2 }] }],
      [7, { d: {} }],
    ]);
  });

  test('a .json file of JSON lines is read as lines', async () => {
    expect(await read(file('a.json', '{"a":1}\n{"a":2}\n'))).toHaveLength(2);
  });

  test('an empty array has no rows, and an element that is no object is an error', async () => {
    expect(await read(file('a.json', '[]'))).toEqual([]);
    await expect(read(file('a.json', '[\n{},\n3]'))).rejects.toThrow(/a\.json:3 is not a JSON object: 3/);
  });
});

describe('data files', () => {
  test('a folder stands for its data files in order of name', async () => {
    const path = file('b.jsonl', '{}');
    expect(await findDataFiles(dirname(path))).toEqual([path]);
    await expect(findDataFiles(folder())).rejects.toThrow(/holds no \.jsonl/);
  });

  test('a missing file is named with the place that was looked at', async () => {
    await expect(findDataFiles('no-such.jsonl')).rejects.toThrow(/no data file no-such\.jsonl.*Looked for \/.*no-such/);
  });

  test('a file of another kind is refused by name', async () => {
    await expect(findDataFiles(file('rows.parquet', 'PAR1'))).rejects.toThrow(/\.parquet file.*\.jsonl/);
  });
});

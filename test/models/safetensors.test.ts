import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSafetensors, type WritableTensor, writeSafetensors } from '../../src/models/index.js';
import { goldenPath, readGolden } from '../golden/read-golden.js';
import { temporaryDirectory } from './temporary-directory.js';

const floats = (shape: number[], data: number[]): WritableTensor => ({ shape, data: Float32Array.from(data) });

async function withFile(bytes: Uint8Array): Promise<string> {
  const path = join(await temporaryDirectory(), 'file.safetensors');
  await writeFile(path, bytes);
  return path;
}

function fileOf(header: unknown, dataBytes: number, claimedLength?: bigint): Uint8Array {
  const json = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header));
  const bytes = new Uint8Array(8 + json.length + dataBytes);
  new DataView(bytes.buffer).setBigUint64(0, claimedLength ?? BigInt(json.length), true);
  bytes.set(json, 8);
  return bytes;
}

describe('what stands where a file should', () => {
  it('is named: a Git LFS pointer, a directory', async () => {
    const pointer = await withFile(Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n'));
    await expect(openSafetensors(pointer)).rejects.toThrow(/Git LFS pointer.*git lfs pull/);
    await expect(openSafetensors(await temporaryDirectory())).rejects.toThrow(/is a directory, not a safetensors file/);
  });
});

describe('reading', () => {
  it('reads every tensor of a file that the reference implementation wrote', async () => {
    const file = await openSafetensors(goldenPath('models/llama/model.safetensors'));
    const expected = readGolden('models/llama/model.safetensors');
    expect([...file.tensors.keys()].sort()).toEqual([...expected.keys()].sort());
    for (const [name, tensor] of expected) expect(await file.readFloat(name)).toEqual(tensor);
    expect(file.metadata.get('format')).toBe('pt');
    await file.close();
  });

  it('widens F16 and BF16 exactly: narrowed again they are the stored bits', async () => {
    const file = await openSafetensors(goldenPath('checkpoints/half-floats.safetensors'));
    const original = (await file.readFloat('f32')).data;
    for (const [dtype, name, digits] of [
      ['F16', 'f16', 2 ** -11],
      ['BF16', 'bf16', 2 ** -8],
    ] as const) {
      const widened = await file.readFloat(name);
      const path = join(await temporaryDirectory(), 'again.safetensors');
      await writeSafetensors(path, new Map([['x', widened]]), { floatDtype: dtype });
      const again = await openSafetensors(path);
      expect(Buffer.compare(await again.readBytes('x'), await file.readBytes(name))).toBe(0);
      await again.close();
      const errors = original.map((x, i) =>
        Math.abs(x) >= 2 ** -14 && Math.abs(x) < 65504 ? Math.abs(widened.data[i]! / x - 1) : 0,
      );
      expect(Math.max(...errors)).toBeLessThanOrEqual(digits);
    }
    await file.close();
  });

  it('names the nearest tensor when there is none of that name', async () => {
    const file = await openSafetensors(goldenPath('models/llama/model.safetensors'));
    await expect(file.readFloat('model.norm.weigth')).rejects.toThrow('Did you mean model.norm.weight?');
    await file.close();
  });

  it('refuses a dtype that is no float, naming those that are', async () => {
    const path = await withFile(fileOf({ a: { dtype: 'F8_E4M3', shape: [4], data_offsets: [0, 4] } }, 4));
    const file = await openSafetensors(path);
    await expect(file.readFloat('a')).rejects.toThrow(/tensor a has dtype F8_E4M3.*F32, F16, BF16/);
    expect(await file.readBytes('a')).toHaveLength(4);
    await file.close();
  });
});

describe('bad files', () => {
  const entry = (begin: number, end: number) => ({
    dtype: 'F32',
    shape: [(end - begin) / 4],
    data_offsets: [begin, end],
  });
  const cases: [string, Uint8Array, RegExp][] = [
    ['shorter than the length prefix', new Uint8Array(5), /has 5 bytes/],
    ['a header of 10 GB', fileOf({}, 0, 10_000_000_000n), /claims a header of 10000000000 bytes/],
    [
      'a header longer than the file',
      fileOf({}, 0, 500n),
      /truncated: its header takes 508 bytes, but the file has 10/,
    ],
    ['NaN in the header', fileOf('{"a": NaN}', 0), /not valid JSON.*contains NaN/],
    ['a header that is a list', fileOf('[]', 0), /must hold a JSON object/],
    ['data cut off', fileOf({ a: entry(0, 16) }, 12), /truncated.*describes \d+ bytes, but the file has/],
    ['bytes left over', fileOf({ a: entry(0, 16) }, 20), /4 bytes after the last tensor/],
    ['overlapping tensors', fileOf({ a: entry(0, 16), b: entry(12, 20) }, 20), /tensors a and b overlap/],
    ['a gap between tensors', fileOf({ a: entry(0, 8), b: entry(12, 20) }, 20), /4 bytes between a and b/],
    ['offsets that do not fit the shape', fileOf({ a: { ...entry(0, 16), shape: [5] } }, 16), /needs 20 bytes/],
    ['a negative size', fileOf({ a: { ...entry(0, 16), shape: [-4] } }, 16), /malformed shape \[-4\]/],
    ['an unknown dtype', fileOf({ a: { ...entry(0, 16), dtype: 'F31' } }, 16), /unknown dtype "F31"/],
    ['a malformed entry', fileOf({ a: 3 }, 0), /tensor a has no object/],
  ];
  it.each(cases)('%s', async (_, bytes, message) => {
    const path = await withFile(bytes);
    const opened = openSafetensors(path);
    await expect(opened).rejects.toThrow(message);
    await expect(opened).rejects.toThrow(path);
  });
});

describe('writing', () => {
  it('reads back floats, integers and bytes of any shape', async () => {
    const path = join(await temporaryDirectory(), 'state.safetensors');
    const tensors = new Map<string, WritableTensor>([
      ['matrix', floats([2, 3], [1, -2, 3.5, 0, Number.NaN, Number.POSITIVE_INFINITY])],
      ['scalar', floats([], [7])],
      ['empty', floats([0, 4], [])],
      ['step', { shape: [1], data: BigInt64Array.of(2n ** 53n + 1n) }],
      ['cursor', { shape: [2], data: Int32Array.of(-1, 5) }],
      ['random', { shape: [3], data: Uint8Array.of(1, 2, 255) }],
    ]);
    await writeSafetensors(path, tensors, { metadata: { format: 'pt', version: '1' } });
    const file = await openSafetensors(path);
    expect(file.metadata.get('version')).toBe('1');
    for (const name of ['matrix', 'scalar', 'empty']) expect(await file.readFloat(name)).toEqual(tensors.get(name));
    for (const name of ['step', 'cursor', 'random']) {
      const { data } = tensors.get(name)!;
      expect([...(await file.readBytes(name))]).toEqual([...new Uint8Array(data.buffer)]);
    }
    await file.close();
  });

  it('rounds to F16 and BF16 as PyTorch does, bit for bit', async () => {
    const reference = await openSafetensors(goldenPath('checkpoints/half-floats.safetensors'));
    const values = await reference.readFloat('f32');
    for (const [dtype, name] of [
      ['F16', 'f16'],
      ['BF16', 'bf16'],
    ] as const) {
      const path = join(await temporaryDirectory(), 'half.safetensors');
      await writeSafetensors(path, new Map([['x', values]]), { floatDtype: dtype });
      const file = await openSafetensors(path);
      expect(file.tensors.get('x')!.dtype).toBe(dtype);
      const written = await file.readBytes('x');
      const expected = await reference.readBytes(name);
      expect(Buffer.compare(written, expected)).toBe(0);
      await file.close();
    }
    await reference.close();
  });

  it('gives equal bytes for equal tensors in any order', async () => {
    const directory = await temporaryDirectory();
    const a: [string, WritableTensor] = ['a', floats([1], [1])];
    const b: [string, WritableTensor] = ['b', { shape: [1], data: BigInt64Array.of(2n) }];
    await writeSafetensors(join(directory, 'ab'), new Map([a, b]));
    await writeSafetensors(join(directory, 'ba'), new Map([b, a]));
    expect(await readFile(join(directory, 'ba'))).toEqual(await readFile(join(directory, 'ab')));
  });

  it('starts tensor data at a multiple of 8, as fast readers want it', async () => {
    const path = join(await temporaryDirectory(), 'x.safetensors');
    await writeSafetensors(path, new Map([['name of odd length', floats([1], [1])]]));
    const file = await openSafetensors(path);
    expect(file.tensors.get('name of odd length')!.start % 8).toBe(0);
    await file.close();
  });

  it('leaves the old file in place, and nothing else, when a write fails', async () => {
    const directory = await temporaryDirectory();
    const path = join(directory, 'x.safetensors');
    await writeSafetensors(path, new Map([['x', floats([1], [1])]]));
    const before = await readFile(path);
    const failing = new Map([['x', { shape: [1], data: unreadable() }]]);
    await expect(writeSafetensors(path, failing)).rejects.toThrow();
    expect(await readFile(path)).toEqual(before);
    expect(await readdir(directory)).toEqual(['x.safetensors']);
  });

  it('refuses data that does not fill its shape', async () => {
    const path = join(await temporaryDirectory(), 'x.safetensors');
    await expect(writeSafetensors(path, new Map([['x', floats([3], [1, 2])]]))).rejects.toThrow(
      'tensor x of shape [3] holds 2 values',
    );
  });
});

/** An array whose bytes cannot be taken, as when memory was transferred away in the middle of a save. */
function unreadable(): Float32Array {
  const data = new Float32Array(1);
  return new Proxy(data, {
    get(target, key) {
      if (key === 'buffer') throw new Error('detached');
      return Reflect.get(target, key, target);
    },
  });
}

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ggufMetadata,
  loadCheckpoint,
  openGguf,
  openSafetensors,
  parameterShapes,
  parseModelConfig,
  readModelConfig,
  ropeTables,
} from '../../src/models/index.js';
import { goldenPath, readGolden, readGoldenJson } from '../golden/read-golden.js';
import { temporaryDirectory } from './temporary-directory.js';

const ggmlTypes = { F32: 0, F16: 1, Q4_0: 2, Q4_1: 3, Q8_0: 8, Q4_K: 12, Q6_K: 14, BF16: 30 } as const;

/** A GGUF file with one tensor, as small as the format allows. */
function ggufOf(
  type: number,
  dimensions: readonly number[],
  data: Uint8Array,
  metadata: [string, string][] = [],
): Buffer {
  const parts: Buffer[] = [];
  const u32 = (n: number) => parts.push(Buffer.from(Uint32Array.of(n).buffer));
  const u64 = (n: number) => parts.push(Buffer.from(BigUint64Array.of(BigInt(n)).buffer));
  const text = (value: string) => {
    u64(Buffer.byteLength(value));
    parts.push(Buffer.from(value));
  };
  parts.push(Buffer.from('GGUF'));
  u32(3);
  u64(1);
  u64(metadata.length);
  for (const [key, value] of metadata) {
    text(key);
    u32(8);
    text(value);
  }
  text('tensor');
  u32(dimensions.length);
  for (const n of dimensions) u64(n);
  u32(type);
  u64(0);
  const header = Buffer.concat(parts);
  return Buffer.concat([header, Buffer.alloc(-header.length & 31), data]);
}

async function written(bytes: Uint8Array, name = 'model.gguf'): Promise<string> {
  const path = join(await temporaryDirectory(), name);
  await writeFile(path, bytes);
  return path;
}

describe('dequantisation equals that of the gguf package', () => {
  it.each(Object.entries(ggmlTypes))('%s', async (name, type) => {
    const golden = await openSafetensors(goldenPath('checkpoints/ggml-blocks.safetensors'));
    const expected = (await golden.readFloat(`${name}.values`)).data;
    const path = await written(ggufOf(type, [expected.length], await golden.readBytes(`${name}.blocks`)));
    const file = await openGguf(path);
    const tensor = await file.readFloat('tensor');
    expect(tensor.data).toEqual(expected);
    await file.close();
    await golden.close();
  });
});

describe('a checkpoint converted to GGUF and back', () => {
  const cases: [string, number][] = [
    ['llama-llama3-bias', 0],
    ['llama-linear-tied', 1e-3],
    ['llama-yarn', 5e-3],
    ['mistral-window', 5e-3],
    ['qwen2-tied', 5e-3],
    ['qwen3', 1e-3],
  ];
  it.each(cases)('%s: the weights, to the precision of the file', async (name, tolerance) => {
    const { weights } = await loadCheckpoint(goldenPath(`checkpoints/${name}.gguf`));
    const expected = readGolden(`models/${name}/model.safetensors`);
    expect([...weights.keys()].sort()).toEqual([...expected.keys()].sort());
    for (const [key, { shape, data }] of expected) {
      const weight = weights.get(key)!;
      expect(weight.shape).toEqual(shape);
      const worst = weight.data.reduce((max, x, i) => Math.max(max, Math.abs(x - data[i]!)), 0);
      expect(worst, key).toBeLessThanOrEqual(tolerance);
    }
  });

  it.each(cases)('%s: the config', async (name) => {
    const { source: _, initializerRange: __, ...found } = await readModelConfig(goldenPath(`checkpoints/${name}.gguf`));
    const json = readGoldenJson(`models/${name}/config.json`);
    const { source: ___, initializerRange: ____, ...expected } = parseModelConfig(json, name);
    // The parameters of Llama 3's scaling are recovered from its factors, up to a common scale.
    const tables = ropeTables(found, 64);
    const expectedTables = ropeTables(expected, 64);
    for (const [i, x] of expectedTables.cos.entries()) expect(tables.cos[i]).toBeCloseTo(x, 4);
    const { rope, ...others } = found;
    const { rope: expectedRope, ...expectedOthers } = expected;
    expect(others).toEqual(expectedOthers);
    expect(rope.type).toBe(expectedRope.type);
  });
});

it('gives the tokenizer its metadata', async () => {
  const metadata = await ggufMetadata(goldenPath('checkpoints/qwen3.gguf'));
  expect(metadata.get('general.architecture')).toBe('qwen3');
  expect(metadata.get('tokenizer.ggml.eos_token_id')).toBe(2);
  expect(metadata.get('tokenizer.ggml.tokens')).toHaveLength(96);
});

describe('bad files', () => {
  it('no GGUF file', async () => {
    const path = await written(Buffer.from('GGML is not it, whatever follows'));
    await expect(openGguf(path)).rejects.toThrow(/model\.gguf cannot be read as GGUF: .*magic/);
  });

  it('truncated in its tensors', async () => {
    const bytes = await readFile(goldenPath('checkpoints/qwen3.gguf'));
    const path = await written(bytes.subarray(0, bytes.length - 1000));
    await expect(openGguf(path)).rejects.toThrow(/truncated: tensor .* but the file has/);
  });

  it('truncated in its header', async () => {
    const bytes = await readFile(goldenPath('checkpoints/qwen3.gguf'));
    const path = await written(bytes.subarray(0, 3000));
    await expect(openGguf(path)).rejects.toThrow(/truncated/);
  });

  it('a quantisation that is not supported', async () => {
    const file = await openGguf(await written(ggufOf(10, [256], new Uint8Array(84))));
    await expect(file.readFloat('tensor')).rejects.toThrow(/tensor .* GGML type Q2_K; supported: F32, F16, BF16, Q4_0/);
    await file.close();
  });

  it('rows that do not fill whole blocks', async () => {
    const file = await openGguf(await written(ggufOf(8, [33], new Uint8Array(68))));
    await expect(file.readFloat('tensor')).rejects.toThrow(/shape \[33\].*whole blocks/);
    await file.close();
  });

  it('an architecture that is not supported, with the nearest one', async () => {
    const path = await written(ggufOf(0, [1], new Uint8Array(4), [['general.architecture', 'qwen']]));
    await expect(loadCheckpoint(path)).rejects.toThrow(
      /architecture qwen is not supported; supported: llama, qwen2, qwen3.*Did you mean qwen2/,
    );
  });

  it('metadata missing', async () => {
    const path = await written(ggufOf(0, [1], new Uint8Array(4), [['general.architecture', 'llama']]));
    await expect(loadCheckpoint(path)).rejects.toThrow(/metadata llama\.\S+ must be one number, but is missing/);
  });
});

const smollm2 = process.env.ANNEAL_SMOLLM2_GGUF;

describe.skipIf(smollm2 === undefined)('SmolLM2-135M-Instruct (set ANNEAL_SMOLLM2_GGUF to its Q4_1 file)', () => {
  it('loads whole', async () => {
    const { config, weights } = await loadCheckpoint(smollm2!);
    expect(config).toMatchObject({ numLayers: 30, hiddenSize: 576, tieWordEmbeddings: true, rmsNormEps: 1e-5 });
    expect(weights.size).toBe(parameterShapes(config).size);
    for (const { data } of weights.values()) expect(data.every(Number.isFinite)).toBe(true);
  });
});

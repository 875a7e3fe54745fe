import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createProgram, type RunInput } from '../../src/engine/local/runtime.js';
import { compile, gatherRows, input, less, multiply, symbol } from '../../src/graph/index.js';

const cpu = { device: 'cpu', threads: 1 } as const;
const x = input('x', 'float32', [symbol('N'), 2]);
const pairs: RunInput = { data: Float32Array.of(1, 2, 3, 4, 5, 6), shape: [3, 2] };
const sizes = { N: 3 };

describe('a program', () => {
  it('writes an output into the memory it is given', async () => {
    const program = await createProgram(compile({ y: multiply(x, x) }), cpu);
    const memory = new Float32Array(8).fill(-1);
    const y = { data: memory.subarray(1, 7), shape: [3, 2] };
    expect((await program.run({ x: pairs }, sizes, { into: { y } })).y).toBe(y);
    expect([...memory]).toEqual([-1, 1, 4, 9, 16, 25, 36, -1]);
    await program.release();
  });

  it.each([[[2, 2]], [[4, 2]], [[2, 3]], [[6]], [[]]])(
    'refuses memory of shape %j for an output [3, 2]',
    async (shape) => {
      const program = await createProgram(compile({ y: multiply(x, x) }), cpu);
      const memory = new Float32Array(shape.reduce((product, dim) => product * dim, 1)).fill(-1);
      const y = { data: memory, shape };
      await expect(program.run({ x: pairs }, sizes, { into: { y } })).rejects.toThrow(/shape|dimensions|rank/);
      expect(new Set(memory)).toEqual(new Set([-1]));
      expect([...(await program.run({ x: pairs }, sizes)).y!.data]).toEqual([1, 4, 9, 16, 25, 36]);
      await program.release();
    },
  );

  it('refuses memory that was handed to another thread', async () => {
    const program = await createProgram(compile({ y: multiply(x, x) }), cpu);
    const gone = new Float32Array(6);
    structuredClone(gone, { transfer: [gone.buffer] });
    const y = { data: gone, shape: [3, 2] };
    await expect(program.run({ x: y }, sizes)).rejects.toThrow('0 values do not make a tensor of shape [3, 2]');
    await expect(program.run({ x: pairs }, sizes, { into: { y } })).rejects.toThrow('0 values do not make a tensor');
    await program.release();
  });

  it('runs on after a run that failed, and says that it was released', async () => {
    const rows = input('rows', 'int64', [symbol('M')]);
    const program = await createProgram(compile({ y: gatherRows(x, rows) }), cpu);
    const run = async (row: bigint) =>
      (await program.run({ x: pairs, rows: { data: BigInt64Array.of(row), shape: [1] } }, { N: 3, M: 1 })).y!;
    await expect(run(3n)).rejects.toThrow(/out of/);
    expect(await run(2n)).toEqual({ data: Float32Array.of(5, 6), shape: [1, 2] });
    await program.release();
    await program.release();
    await expect(run(2n)).rejects.toThrow('was released');
  });

  it('keeps what it is fed from being collected before native code has read it', () => {
    const script = fileURLToPath(new URL('collected-feeds.ts', import.meta.url));
    expect(execFileSync(process.execPath, ['--import', 'tsx', script], { encoding: 'utf8' }).trim()).toBe('0');
  });

  it('refuses to read elements of another type as if they were integers', async () => {
    const program = await createProgram(compile({ y: less(x, multiply(x, x)) }), cpu);
    await expect(program.run({ x: pairs }, sizes)).rejects.toThrow('ONNX type 9');
    await program.release();
  });

  it('gives outputs without elements and without dimensions', async () => {
    const scalar = input('scalar', 'float32', []);
    const program = await createProgram(compile({ y: multiply(x, x), z: multiply(scalar, scalar) }), cpu);
    const none = { data: new Float32Array(0), shape: [0, 2] };
    const { y, z } = await program.run({ x: none, scalar: { data: Float32Array.of(3), shape: [] } }, { N: 0 });
    expect([y, z]).toEqual([none, { data: Float32Array.of(9), shape: [] }]);
    await program.release();
  });
});

describe('without the compiled part of koffi', () => {
  afterEach(() => {
    vi.doUnmock('koffi');
    vi.resetModules();
  });

  it('is told how to have it installed', async () => {
    vi.resetModules();
    vi.doMock('koffi', () => {
      throw new Error('Cannot find the native Koffi module');
    });
    await expect(import('../../src/engine/local/onnxruntime/library.js')).rejects.toThrow('--omit=optional');
  });
});

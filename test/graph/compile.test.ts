import { InferenceSession, Tensor as OrtTensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import {
  add,
  addDims,
  compile,
  concat,
  constant,
  constantInt,
  exp,
  expand,
  fill,
  gemm,
  input,
  linear,
  mean,
  multiply,
  multiplyDims,
  negate,
  reshape,
  rmsNorm,
  scatterRows,
  slice,
  softmax,
  split,
  sum,
  symbol,
  type Tensor,
  transpose,
} from '../../src/graph/index.js';
import { decodeOnnx, opCounts } from './decode-onnx.js';
import { run } from './run.js';

const N = symbol('N');
const x = input('x', 'float32', [N, 2]);
const w = input('w', 'float32', [3, 2]);

describe('equal nodes', () => {
  it('are written once', () => {
    const y = (): Tensor => softmax(linear(exp(x), w));
    expect(opCounts(compile({ a: y(), b: y() }).onnx)).toEqual({ Exp: 1, Gemm: 1, Softmax: 1 });
    const again = input('x', 'float32', [symbol('N'), 2]);
    expect(opCounts(compile({ a: exp(x), b: exp(again) }).onnx)).toEqual({ Exp: 1 });
    expect(opCounts(compile({ a: add(exp(x), constant(2)), b: add(exp(x), constant(2)) }).onnx)).toEqual({
      Exp: 1,
      Add: 1,
    });
  });

  it('differ by attributes, inputs and outputs', () => {
    const [left, right] = split(x, 1, [1, 1]) as [Tensor, Tensor];
    const { onnx } = compile({
      a: gemm(x, w, false, true),
      b: gemm(x, x, true, false),
      c: gemm(x, x, false, true),
      d: exp(left),
      e: exp(right),
      f: sum(x, [0]),
      g: sum(x, [1]),
      h: sum(x, [0], { keep: true }),
    });
    expect(opCounts(onnx)).toEqual({ Gemm: 3, Split: 1, Exp: 2, ReduceSum: 3 });
  });

  it('keep infinities, NaN and signed zeros apart', async () => {
    const values = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 0, -0];
    const fills = Object.fromEntries(values.map((value, i) => [`fill${i}`, fill(value, [1])]));
    const constants = Object.fromEntries(values.map((value, i) => [`constant${i}`, constant([value])]));
    const results = await run({ ...fills, ...constants });
    values.forEach((value, i) => {
      expect(results[`fill${i}`]!.data[0]).toBe(value);
      expect(results[`constant${i}`]!.data[0]).toBe(value);
    });
  });

  it('of different element types stay apart', async () => {
    const { a, b } = await run({ a: constant([1, 2]), b: constantInt([1, 2]), c: reshape(constant([1, 2]), [2, 1]) });
    expect([a!.data, b!.data]).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });
});

describe('a matrix product plus something', () => {
  const product = linear(x, w);
  const counts = (outputs: Record<string, Tensor>): Record<string, number> => opCounts(compile(outputs).onnx);

  it('is one node where the addend fits', () => {
    expect(counts({ y: add(product, input('bias', 'float32', [3])) })).toEqual({ Gemm: 1 });
    expect(counts({ y: add(input('matrix', 'float32', [N, 3]), product) })).toEqual({ Gemm: 1 });
    expect(counts({ y: add(product, linear(exp(x), w)) })).toEqual({ Gemm: 2, Exp: 1 });
  });

  it('stays two where the product is read elsewhere or the addend is spread another way', () => {
    const bias = input('bias', 'float32', [3]);
    expect(counts({ y: add(product, bias), product })).toEqual({ Gemm: 1, Add: 1 });
    expect(counts({ y: add(product, bias), z: exp(product) })).toEqual({ Gemm: 1, Add: 1, Exp: 1 });
    expect(counts({ y: add(product, product) })).toEqual({ Gemm: 1, Add: 1 });
    expect(counts({ y: add(product, input('column', 'float32', [N, 1])) })).toEqual({ Gemm: 1, Add: 1 });
  });
});

describe('what a graph asks for', () => {
  it('only inputs and symbols that the outputs need', () => {
    const compiled = compile({ y: exp(x) });
    expect(compiled.inputs).toEqual([{ name: 'x', dtype: 'float32' }]);
    expect(compiled.symbols).toEqual([]);
    const shaped = compile({ y: reshape(linear(x, w), [multiplyDims(N, 3)]) });
    expect(shaped.symbols).toEqual(['N']);
    expect(shaped.inputs).toContainEqual({ name: 'dim:N', dtype: 'int64' });
    expect(compile({ y: reshape(linear(x, w), [multiplyDims(N, 3)]) }, { bindings: { N: 4 } }).symbols).toEqual([]);
  });

  it('some symbols can be bound and others fed', async () => {
    const M = symbol('M');
    const wide = input('wide', 'float32', [N, M]);
    const size = addDims(multiplyDims(2, N, M), multiplyDims(-1, N), 1);
    const y = expand(mean(wide), [size, multiplyDims(M, M)]);
    const feeds = { wide: { shape: [2, 3], data: [1, 2, 3, 4, 5, 6] } };
    const { result } = await run({ result: y }, feeds, { bindings: { M: 3 }, symbols: { N: 2 } });
    expect(result).toEqual({ shape: [11, 9], data: new Array(99).fill(3.5) });
    expect(compile({ y }, { bindings: { M: 3 } }).symbols).toEqual(['N']);
  });

  it('a batch without rows runs', async () => {
    const H = 2;
    const y = transpose(reshape(linear(x, w), [N, 1, 3]), [1, 0, 2]);
    const flat = reshape(multiply(x, H), [multiplyDims(N, 2)]);
    const empty = { shape: [0, 2], data: [] };
    const results = await run(
      { y, flat, padded: concat([x, constant([1, 2], [1, 2])], 0), total: sum(x) },
      { x: empty, w: { shape: [3, 2], data: [1, 2, 3, 4, 5, 6] } },
      { symbols: { N: 0 } },
    );
    expect(results).toEqual({
      y: { shape: [1, 0, 3], data: [] },
      flat: { shape: [0], data: [] },
      padded: { shape: [1, 2], data: [1, 2] },
      total: { shape: [], data: [0] },
    });
  });
});

describe('outputs', () => {
  it('may be an input, a constant, or one tensor under two names', async () => {
    const feeds = { x: { shape: [1, 2], data: [3, 4] } };
    const y = negate(x);
    const results = await run({ same: x, two: constant(2), a: y, b: y }, feeds, { symbols: { N: 1 } });
    expect(results.same!.data).toEqual([3, 4]);
    expect(results.two).toEqual({ shape: [], data: [2] });
    expect([results.a!.data, results.b!.data]).toEqual([
      [-3, -4],
      [-3, -4],
    ]);
  });

  it('of any name do not collide with names inside', async () => {
    const feeds = { t0: { shape: [1], data: [1] }, '0': { shape: [1], data: [2] } };
    const y = add(exp(input('t0', 'float32', [1])), input('0', 'float32', [1]));
    expect((await run({ t1: y }, feeds)).t1!.data[0]).toBeCloseTo(Math.E + 2, 5);
  });

  it('cannot have the name of an input', () => {
    expect(() => compile({ x: exp(x) })).toThrow('graph: x is the name of an input and of an output');
  });
});

describe('inputs', () => {
  it('of one name must have one type', () => {
    const other = input('x', 'float32', [symbol('M'), 2]);
    expect(() => compile({ a: exp(x), b: exp(other) })).toThrow(
      'graph: the input x is both float32[N, 2] and float32[M, 2]',
    );
    expect(() => compile({ a: exp(x), b: exp(other) }, { bindings: { N: 3, M: 3 } })).not.toThrow();
  });
});

describe('constants', () => {
  const weight = Float32Array.of(9, 1, 2, 3, 4, 5, 6).subarray(1);
  const y = linear(x, w);
  const feed = { x: new OrtTensor('float32', [1, 1, 0, 2], [2, 2]) };
  const expected = [3, 7, 11, 4, 8, 12];

  it('stand in the file', async () => {
    const { onnx, inputs } = compile({ y }, { constants: new Map([['w', { shape: [3, 2], data: weight }]]) });
    expect(inputs.map(({ name }) => name)).toEqual(['x']);
    const session = await InferenceSession.create(onnx);
    expect([...((await session.run(feed)).y!.data as Float32Array)]).toEqual(expected);
  });

  it('or in a file beside it, at an offset', async () => {
    const file = new Uint8Array(8 + weight.byteLength);
    file.set(new Uint8Array(weight.buffer, weight.byteOffset, weight.byteLength), 8);
    const data = { location: 'model.safetensors', offset: 8, length: weight.byteLength };
    const { onnx } = compile({ y }, { constants: new Map([['w', { shape: [3, 2], data }]]) });
    const session = await InferenceSession.create(onnx, { externalData: [{ path: data.location, data: file }] });
    expect([...((await session.run(feed)).y!.data as Float32Array)]).toEqual(expected);
  });

  it('must fit the input they stand for', () => {
    const constants = new Map([['w', { shape: [2, 3], data: weight }]]);
    expect(() => compile({ y }, { constants })).toThrow('the input w is float32[3, 2], its constant float32[2, 3]');
    const short = new Map([['w', { shape: [3, 2], data: weight.subarray(1) }]]);
    expect(() => compile({ y }, { constants: short })).toThrow('the constant w of shape [3, 2] was given 5 values');
  });
});

it('the file holds what onnx.proto says', () => {
  const flags = input('flags', 'bool', [multiplyDims(2, N), 1]);
  const normed = rmsNorm(slice(x, 1, 0, 2), constant([1, 2]), 0.25);
  const bias = new Map([['bias', { shape: [2], data: { location: 'w.bin', offset: 2 ** 33, length: 8 } }]]);
  const { onnx } = compile(
    { y: add(normed, input('bias', 'float32', [2])), turned: transpose(flags, [1, 0]) },
    { constants: bias },
  );
  const { irVersion, opsetImport, graph } = decodeOnnx(onnx);
  expect(irVersion).toBe(10);
  expect(opsetImport.map(({ domain, version }) => [domain ?? '', version])).toEqual([
    ['', 21],
    ['com.microsoft', 1],
  ]);

  const float = 1;
  const bool = 9;
  const types = [...graph.input!, ...graph.output].map(({ name, type: { tensorType } }) => [
    name,
    tensorType.elemType,
    tensorType.shape.dim!.map(({ dimValue, dimParam }) => dimParam ?? dimValue),
  ]);
  expect(types).toEqual([
    ['x', float, ['N', 2]],
    ['flags', bool, ['2·N', 1]],
    ['y', float, ['N', 2]],
    ['turned', bool, [1, '2·N']],
  ]);

  const byOp = new Map(graph.node.map((node) => [node.opType, node]));
  const norm = byOp.get('SimplifiedLayerNormalization')!;
  expect(norm.attribute).toMatchObject([
    { name: 'axis', type: 2, i: -1 },
    { name: 'epsilon', type: 1, f: 0.25 },
    { name: 'stash_type', type: 2, i: 1 },
  ]);
  expect(byOp.get('Transpose')!.attribute).toMatchObject([{ name: 'perm', type: 7, ints: [1, 0] }]);
  const cut = compile({ y: split(x, 1, [1, 1])[1]! }).onnx;
  expect(decodeOnnx(cut).graph.node.find(({ opType }) => opType === 'Split')!.output).toHaveLength(2);
  const scatter = compile({ y: scatterRows(x, input('i', 'int64', [N]), 3) }).onnx;
  const { attribute } = decodeOnnx(scatter).graph.node.find(({ opType }) => opType === 'ScatterElements')!;
  expect(new TextDecoder().decode(attribute!.find(({ name }) => name === 'reduction')!.s)).toBe('add');

  const names = [...graph.node, ...graph.initializer!].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const weight = graph.initializer!.find(({ name }) => name === norm.input![1])!;
  expect([weight.dims, [...new Float32Array(Uint8Array.from(weight.rawData!).buffer)]]).toEqual([[2], [1, 2]]);
  expect(graph.initializer!.find(({ name }) => name === 'bias')).toMatchObject({
    dims: [2],
    dataType: float,
    dataLocation: 1,
    externalData: [
      { key: 'location', value: 'w.bin' },
      { key: 'offset', value: '8589934592' },
      { key: 'length', value: '8' },
    ],
  });
});

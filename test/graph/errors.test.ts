import { describe, expect, it } from 'vitest';
import { define } from '../../src/graph/apply.js';
import * as graph from '../../src/graph/index.js';
import { constant, constantInt, type Dim, input, symbol, type Tensor } from '../../src/graph/index.js';

const N = symbol('N');
const M = symbol('M');
let inputs = 0;
const float = (...shape: Dim[]): Tensor => input(`f${inputs++}`, 'float32', shape);
const int = (...shape: Dim[]): Tensor => input(`i${inputs++}`, 'int64', shape);
const bool = (...shape: Dim[]): Tensor => input(`b${inputs++}`, 'bool', shape);

describe('a wrong use names the op, the types and shapes it was given, and what is wrong', () => {
  const uses: [() => unknown, string][] = [
    [() => graph.add(float(N, 3), float(M, 3)), 'add of float32[N, 3] and float32[M, 3]: the shapes do not broadcast'],
    [() => graph.multiply(float(2), float(3)), 'multiply of float32[2] and float32[3]: the shapes do not broadcast'],
    [() => graph.divide(float(N), int(N)), 'divide of float32[N] and int64[N]: takes two tensors of one number type'],
    [() => graph.less(bool(2), bool(2)), 'less of bool[2] and bool[2]: takes two tensors of one number type'],
    [() => graph.add(int(2), 1), 'add of int64[2] and float32[]: takes two tensors of one number type'],
    [() => graph.exp(int(2)), 'exp of int64[2]: takes float32'],
    [() => graph.silu(int(2)), 'silu of int64[2]: takes float32'],
    [
      () => graph.where(float(2), float(2), float(2)),
      'where of float32[2] and float32[2] and float32[2]: takes a bool',
    ],
    [
      () => graph.where(bool(2), float(2), int(2)),
      'where of bool[2] and float32[2] and int64[2]: takes a bool and two of',
    ],
    [
      () => graph.where(bool(N), float(M), float(1)),
      'where of bool[N] and float32[M] and float32[1]: the shapes do not',
    ],
    [() => graph.sum(float(2, 3), [2]), 'sum of float32[2, 3]: has no axis 2'],
    [() => graph.mean(float(2, 3), [-3]), 'sum of float32[2, 3]: has no axis -3'],
    [() => graph.max(float(2, 3), [0, -2]), 'max of float32[2, 3]: was given an axis twice'],
    [() => graph.sum(int(2)), 'sum of int64[2]: takes float32'],
    [() => graph.matmul(float(2, 3), float(4, 2)), 'matmul of float32[2, 3] and float32[4, 2]: the inner sizes'],
    [() => graph.matmul(float(N, 2, 3), float(M, 3, 2)), 'matmul of float32[N, 2, 3] and float32[M, 3, 2]: the inner'],
    [() => graph.matmul(float(3), float(3, 2)), 'matmul of float32[3] and float32[3, 2]: takes float32 tensors of two'],
    [() => graph.gemm(float(2, 3), float(2, 3)), 'gemm of float32[2, 3] and float32[2, 3]: the inner sizes differ'],
    [() => graph.gemm(float(1, 2, 3), float(3, 2)), 'gemm of float32[1, 2, 3] and float32[3, 2]: takes two float32'],
    [() => graph.linear(float(N, 3), float(4, 5)), 'gemm of float32[N, 3] and float32[4, 5]: the inner sizes differ'],
    [
      () => graph.reshape(float(N, 4), [N, 2, 3]),
      'reshape of float32[N, 4]: has another number of elements than [N, 2, 3]',
    ],
    [() => graph.expand(float(N, 4), [M, 4]), 'expand of float32[N, 4]: does not broadcast to [M, 4]'],
    [() => graph.expand(float(2, 4), [4]), 'expand of float32[2, 4]: does not broadcast to [4]'],
    [() => graph.transpose(float(2, 3), [0, 0]), 'transpose of float32[2, 3]: the order [0, 0] is not a permutation'],
    [() => graph.slice(float(2, 3), -1, 0, 1), 'slice of float32[2, 3]: has no axis -1'],
    [() => graph.slice(float(2, 3), 1, 1, 4), 'slice of float32[2, 3]: [1, 4) is out of axis 1'],
    [() => graph.slice(float(N), 0, -1, N), 'slice of float32[N]: [-1, N) is out of axis 0'],
    [() => graph.slice(float(N), 0, N, graph.addDims(N, 1)), 'slice of float32[N]: [N, 1 + N) is out of axis 0'],
    [() => graph.slice(float(5), 0, 3, 2), 'slice of float32[5]: [3, 2) is out of axis 0'],
    [() => graph.padAxis(float(2, 3), 2, 1, 1), 'pad of float32[2, 3]: has no axis 2'],
    [() => graph.padAxis(float(2, 3), -1, 1, 1), 'pad of float32[2, 3]: has no axis -1'],
    [() => graph.padAxis(float(2, 3), 0, -1, 1), 'pad of float32[2, 3]: takes counts of zero or more'],
    [() => graph.concat([float(2, 3), float(3, 2)], 0), 'concat of float32[2, 3] and float32[3, 2]: the types or'],
    [() => graph.concat([float(2), int(2)], 0), 'concat of float32[2] and int64[2]: the types or the shapes'],
    [() => graph.concat([float(2), float(2, 1)], 0), 'concat of float32[2] and float32[2, 1]: the types or the shapes'],
    [() => graph.concat([float(2, 3), float(2, 3)], -1), 'concat of float32[2, 3] and float32[2, 3]: has no axis -1'],
    [() => graph.concat([], 0), 'concat of nothing: has no axis 0'],
    [() => graph.split(float(N, 3), 1, [1, 1]), 'split of float32[N, 3]: the parts add up to 2 along axis 1'],
    [() => graph.gatherRows(float(3), float(2)), 'gatherRows of float32[3] and float32[2]: takes a tensor and int64'],
    [() => graph.gatherRows(float(), int(2)), 'gatherRows of float32[] and int64[2]: takes a tensor and int64'],
    [
      () => graph.replaceRows(float(N, 3), int(M), float(N, 3)),
      'replaceRows of float32[N, 3] and int64[M] and float32[N, 3]: takes a tensor, int64 row numbers and one new row',
    ],
    [() => graph.scatterRows(float(N, 3), int(M), 9), 'scatterRows of float32[N, 3] and int64[M]: takes float32 rows'],
    [() => graph.pick(float(N, 3), int(M)), 'pick of float32[N, 3] and int64[M]: takes a tensor and one int64'],
    [
      () => graph.addPicked(float(N, 3), int(M), float(M)),
      'addPicked of float32[N, 3] and int64[M] and float32[M]: takes',
    ],
    [() => graph.softmax(float()), 'softmax of float32[]: takes float32 with one axis or more'],
    [() => graph.argmax(int(3)), 'argmax of int64[3]: takes float32 with one axis or more'],
    [
      () => graph.rmsNorm(float(N, 3), float(4), 1e-6),
      'rmsNorm of float32[N, 3] and float32[4]: the weight does not fit',
    ],
    [
      () => graph.rotary(float(1, N, 8), int(1, M), float(9, 4), float(9, 4)),
      'rotary of float32[1, N, 8] and int64[1, M] and float32[9, 4] and float32[9, 4]: takes x [B, S, heads·D]',
    ],
    [
      () => graph.rotary(float(1, N, 8), int(1, N), float(9, 4), float(9, 2)),
      'rotary of float32[1, N, 8] and int64[1, N] and float32[9, 4] and float32[9, 2]: takes x',
    ],
  ];
  it.each(uses.map(([use, message]) => [message, use] as const))('%s', (message, use) => {
    expect(use).toThrow(`graph: ${message}`);
  });
});

it('a constant has as many values as its shape', () => {
  expect(() => constant([1, 2, 3], [2, 2])).toThrow('graph: a constant of shape [2, 2] was given 3 values');
  expect(() => constantInt([1], [])).not.toThrow();
});

it('two ops cannot share a name', () => {
  const { definition } = graph.exp(float(1)).node;
  expect(() => define(definition)).toThrow('graph: the op exp is defined twice');
});

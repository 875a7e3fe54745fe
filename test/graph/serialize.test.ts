import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import {
  add,
  bindDim,
  compile,
  constant,
  constantInt,
  deserialize,
  exp,
  fill,
  gatherRows,
  gradients,
  input,
  mean,
  multiply,
  multiplyDims,
  region,
  reshape,
  rmsNorm,
  type SerializedGraph,
  serialize,
  softmax,
  split,
  sum,
  symbol,
  type Tensor,
  withGradient,
} from '../../src/graph/index.js';
import { run } from './run.js';

const N = symbol('N');
const x = input('x', 'float32', [N, 4]);

function example(): Record<string, Tensor> {
  const [left, right] = split(softmax(rmsNorm(x, constant([1, 2, 3, 4]), 0.5)), 1, [1, 3]) as [Tensor, Tensor];
  const y = add(multiply(left, right), fill(Number.NEGATIVE_INFINITY, [1, 1]));
  const z = mean(gatherRows(multiply(x, x), constantInt([1, 0, 1])));
  const [gradient] = gradients([[z, constant(1)]], [x]);
  return { y, z, gradient: gradient!, flat: reshape(x, [multiplyDims(N, 2), 2]) };
}

const posted = (graph: SerializedGraph): SerializedGraph => {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(graph);
  const { message } = receiveMessageOnPort(port2)!;
  port1.close();
  return message;
};

describe('a graph sent as data', () => {
  it.each<[string, (graph: SerializedGraph) => SerializedGraph]>([
    ['not copied', (graph) => graph],
    ['through structuredClone', structuredClone],
    ['through a message port', posted],
  ])('compiles to the same file, %s', (_, send) => {
    const outputs = example();
    const received = deserialize(send(serialize(outputs)));
    expect(Object.keys(received)).toEqual(Object.keys(outputs));
    expect(received.flat!.shape.map((dim) => bindDim(dim, { N: 3 }))).toEqual([6, 2]);
    expect(compile(received)).toEqual(compile(outputs));
    expect(serialize(received)).toEqual(serialize(outputs));
  });

  it('can be differentiated where it arrives, with tensors in the place of inputs', async () => {
    const scores = input('scores', 'float32', [N]);
    const message = structuredClone(serialize({ loss: sum(multiply(exp(scores), scores)) }));
    const w = input('w', 'float32', [N]);
    const { loss } = deserialize(message, { scores: multiply(w, 2) }) as { loss: Tensor };
    const [gradient] = gradients([[loss, constant(1)]], [w]);
    const compiled = compile({ loss, gradient: gradient! });
    expect(compiled.inputs.map(({ name }) => name)).toEqual(['w', ...compiled.symbols.map((name) => `dim:${name}`)]);
    const { g } = await run({ g: gradient! }, { w: { shape: [2], data: [0, 0.5] } }, { symbols: { N: 2 } });
    expect(g!.data[0]).toBeCloseTo(2, 5);
    expect(g!.data[1]).toBeCloseTo(4 * Math.E, 5);
  });

  it('shares what was shared', () => {
    const shared = exp(x);
    expect(serialize({ a: add(shared, shared), b: shared }).nodes.map(({ op }) => op)).toEqual(['input', 'exp', 'add']);
  });
});

describe('a graph that cannot be sent', () => {
  it('holds a function', () => {
    const inside = region(x, exp, { recompute: false });
    const custom = withGradient(exp(x), [x], (g) => [g]);
    expect(() => serialize({ inside })).toThrow('graph: a graph with a region cannot be serialised');
    expect(() => serialize({ custom })).toThrow('graph: a graph with a custom cannot be serialised');
  });

  it('or uses an op that is not known where it arrives', () => {
    const { nodes, outputs } = serialize({ y: exp(x) });
    const newer = { nodes: nodes.map((node) => ({ ...node, op: node.op === 'exp' ? 'exp2' : node.op })), outputs };
    expect(() => deserialize(newer)).toThrow('no op is named exp2');
  });

  it('a tensor of another shape in the place of an input is refused by the op that gets it', () => {
    const message = serialize({ y: add(x, fill(1, [N, 4])) });
    expect(() => deserialize(message, { x: input('other', 'float32', [3, 5]) })).toThrow(
      'graph: add of float32[3, 5] and float32[N, 4]: the shapes do not broadcast',
    );
  });
});

import ort from 'onnxruntime-node';
import { compile, input, matmul } from '../src/graph/index.js';

const size = 1024;

/** Best FLOP/s of a [1024, 1024] float32 product in ONNX Runtime: what this machine can do at the moment. */
export async function matmulRate(threads: number): Promise<number> {
  const shape = [size, size];
  const graph = compile({ c: matmul(input('a', 'float32', shape), input('b', 'float32', shape)) });
  const session = await ort.InferenceSession.create(graph.onnx, {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
  });
  const tensor = (value: number): ort.Tensor =>
    new ort.Tensor('float32', new Float32Array(size * size).fill(value), shape);
  const feeds = { a: tensor(0.1), b: tensor(0.2) };
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 15; i++) {
    const start = performance.now();
    await session.run(feeds);
    best = Math.min(best, performance.now() - start);
  }
  await session.release();
  return (2 * size ** 3) / (best / 1000);
}

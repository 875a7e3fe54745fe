// One sampling row in a process of its own: prints one JSON object.
//   decode.ts <batch> <prompt tokens> <new tokens> <rounds>
import { createCompute } from '../../src/engine/local/compute.js';
import { matmulRate } from '../matmul.js';
import { median, peakBytes } from '../measure.js';
import { shapes } from '../shapes.js';

const threads = 2;
const [batch = 32, prompt = 64, fresh = 128, rounds = 3] = process.argv.slice(2).map(Number);
const config = shapes['135m'];
const compute = await createCompute({
  model: { config, seed: 1 },
  train: 'none',
  adapter: null,
  device: 'cpu',
  threads,
  gradientCheckpointing: false,
  seed: 1,
  vocabulary: null,
  baseModel: 'bench',
  files: {},
  sampleSlots: batch,
});
const params = {
  maxTokens: fresh,
  temperature: 1,
  topP: 1,
  topK: 0,
  minP: 0,
  repetitionPenalty: 1,
  stopTokens: [],
  stopStrings: [],
};

const prefillTimes: number[] = [];
const decodeTimes: number[] = [];
for (let round = 0; round <= rounds; round++) {
  const requests = Array.from({ length: batch }, (_, row) => ({
    prompt: Int32Array.from(
      { length: prompt },
      (_, i) => ((round * batch + row) * 7919 + i * 104_729) % config.vocabSize,
    ),
    params,
    seed: row,
  }));
  const start = performance.now();
  let first = 0;
  await compute.sample(requests, {
    aborted: () => false,
    onResult: () => {},
    onStep: () => {
      first ||= performance.now();
    },
  });
  if (round === 0) continue;
  prefillTimes.push((first - start) / 1000);
  decodeTimes.push((performance.now() - first) / 1000);
}
const rates = [await matmulRate(threads), await matmulRate(threads), await matmulRate(threads)];
const perToken = 2 * compute.parameterCount.total;
const decodeTokens = batch * (fresh - 1);
console.log(
  JSON.stringify({
    prefillTokensPerSecond: (batch * prompt) / median(prefillTimes),
    prefillFlopsPerSecond: (perToken * batch * prompt) / median(prefillTimes),
    decodeTokensPerSecond: decodeTokens / median(decodeTimes),
    decodeFlopsPerSecond: (perToken * decodeTokens) / median(decodeTimes),
    matmulFlopsPerSecond: Math.max(...rates),
    peakBytes: peakBytes(),
  }),
);
await compute.dispose();

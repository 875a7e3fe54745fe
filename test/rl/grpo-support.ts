import type { Engine, OptimStepParams } from '../../src/engine/index.js';
import { createCompute } from '../../src/engine/local/compute.js';
import { parseModelConfig } from '../../src/models/index.js';
import {
  createRewardScorer,
  type GrpoContext,
  type GrpoLossSettings,
  type Reward,
  type RewardFunction,
} from '../../src/rl/index.js';
import type { PreparedPrompt, Trajectory } from '../../src/rollout/index.js';
import { characterTokenizer, samplingParams } from '../rollout/fakes.js';

const model = parseModelConfig(
  {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    vocab_size: characterTokenizer.vocabSize,
    hidden_size: 32,
    intermediate_size: 64,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    max_position_embeddings: 64,
    initializer_range: 0.05,
  },
  'test',
);

export type TestEngine = GrpoContext['engine'] & Pick<Engine, 'dispose'>;

/** The local engine's compute plane in this very thread: a worker would take longer to start than the tests to run. */
export async function tinyEngine(seed = 1): Promise<TestEngine> {
  const compute = await createCompute({
    model: { config: model, seed },
    train: 'full',
    adapter: null,
    device: 'cpu',
    threads: 1,
    gradientCheckpointing: false,
    seed,
    vocabulary: null,
    baseModel: 'tiny',
    files: {},
    sampleSlots: 32,
  });
  return {
    forward: (batch, options = {}) => compute.forward(batch, options),
    forwardBackward: (batch, loss) => compute.forwardBackward(batch, loss),
    optimStep: async (params) => compute.optimStep(params),
    publish: async (version) => compute.publish(version),
    sample: (requests, { signal, onResult, onProgress } = {}) =>
      compute.sample(requests, {
        aborted: () => signal?.aborted ?? false,
        onResult: (index, result) => onResult?.(index, result),
        onStep: (sampled) => onProgress?.(sampled),
      }),
    dispose: () => compute.dispose(),
  };
}

export const settings: GrpoLossSettings = {
  lossType: 'dapo',
  epsilon: 0.2,
  epsilonHigh: 0.2,
  beta: 0,
  importanceSamplingLevel: 'token',
  maskTruncated: false,
  maxCompletionLength: 6,
  passSize: 4,
  passTokens: 256,
  temperature: 1,
  compareWith: 'logprobs',
};

export const optimizer: OptimStepParams = {
  learningRate: 1e-2,
  beta1: 0.9,
  beta2: 0.99,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradNorm: 1,
};

export function prompts(count: number): PreparedPrompt[] {
  return Array.from({ length: count }, (_, i) => {
    const text = `question ${i}:`;
    return {
      id: `p${i}`,
      prompt: text,
      text,
      tokens: Int32Array.from(characterTokenizer.encode(text)),
      columns: { i },
    };
  });
}

export function reward(score: RewardFunction, name = 'test'): Reward {
  return { name, source: name, weight: 1, score };
}

/** The share of even token ids: a random policy gets about a half. */
export const evenTokens = reward((_, __, ___, { completionIds }) =>
  completionIds.map((ids) => ids.filter((id) => id % 2 === 0).length / ids.length),
);

export function context(engine: GrpoContext['engine'], changes: Partial<GrpoContext> = {}): GrpoContext {
  return {
    engine,
    reference: null,
    tokenizer: characterTokenizer,
    scorer: createRewardScorer([evenTokens]),
    settings,
    numGenerations: 8,
    sampling: { ...samplingParams, maxTokens: 6 },
    scaleRewards: 'group',
    seed: 7,
    optimizer: () => optimizer,
    ...changes,
  };
}

/** A judged trajectory of `prompt` and `answer` tokens; a reward of null is no verdict. */
export function trajectory(changes: {
  prompt?: number[];
  answer?: number[];
  advantage?: number | null;
  truncated?: boolean;
  version?: number;
}): Trajectory {
  const { prompt = [10, 11, 12], answer = [20, 21], advantage = 1, truncated = false, version = 0 } = changes;
  return {
    id: '1-0-0',
    step: 1,
    group: 0,
    generation: 0,
    promptId: 'p',
    prompt: 'p',
    promptText: 'p',
    seed: 1,
    spans: [
      { kind: 'prompt', tokens: Int32Array.from(prompt) },
      {
        kind: 'assistant',
        tokens: Int32Array.from(answer),
        logprobs: Float32Array.from(answer, (_, i) => -1 - i),
        samplingLogprobs: Float32Array.from(answer, (_, i) => -2 - i),
        policyVersion: version,
      },
    ],
    text: '',
    finishReason: truncated ? 'length' : 'stop',
    timings: { sampleMs: 0 },
    verdict: advantage === null ? { kind: 'noVerdict', cause: 'test' } : { kind: 'scored', reward: 0 },
    rewards: {},
    advantage,
  };
}

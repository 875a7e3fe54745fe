import {
  add,
  addPicked,
  after,
  concat,
  type Dim,
  fill,
  gatherRows,
  gemm,
  linear,
  log,
  max,
  multiply,
  negate,
  pick,
  reshape,
  softmax,
  split,
  subtract,
  sum,
  type Tensor,
  withGradient,
} from '../graph/index.js';

// Shape suffixes: M wanted positions, m positions of one chunk, d hidden size, V vocabulary.

export interface HeadOptions {
  /** Rows of each chunk; they add up to M. One chunk keeps its probabilities for the backward pass. */
  readonly chunks: readonly Dim[];
  /**
   * The gradient of the loss with respect to the log-probabilities [M], where it does not depend on them: each chunk then
   * runs its backward pass right after its forward pass and nothing is computed twice.
   */
  readonly upstream: Tensor | null;
  /** Whether the output head itself is trained. */
  readonly headTrained: boolean;
  readonly entropy: boolean;
}

export interface HeadResult {
  /** log softmax(h Wᵀ) at the target, [M]. */
  readonly logprobs: Tensor;
  /** Entropy of the next-token distribution in nats, [M]. No gradient flows through it. */
  readonly entropy: Tensor | null;
}

/**
 * Log-probabilities of the targets from hidden states [M, d] and the head's weight [V, d], a chunk at a time, so that
 * memory does not grow with M · V: linear, log-softmax and gather are one function with the gradient
 * ∂/∂logits = g · (onehot(target) − p).
 */
export function tokenLogprobs(hidden: Tensor, weight: Tensor, targets: Tensor, options: HeadOptions): HeadResult {
  const { chunks, upstream, headTrained } = options;
  const hiddens = split(hidden, 0, chunks);
  const target = split(targets, 0, chunks);

  const forwards: ChunkForward[] = [];
  const backwards: ChunkGradient[] = [];
  const upstreams = upstream ? split(upstream, 0, chunks) : null;
  hiddens.forEach((h, i) => {
    const before = backwards.at(-1);
    const forward = chunkForward(before ? after(h, [before.hidden]) : h, weight, target[i]!, options.entropy);
    forwards.push(forward);
    if (upstreams) backwards.push(chunkBackward(forward, weight, target[i]!, upstreams[i]!, headTrained));
  });

  /** One chunk after the other; a single chunk still has its probabilities. */
  const recomputed = (gradient: Tensor, weightNeeded: boolean): ChunkGradient[] => {
    const parts: ChunkGradient[] = [];
    split(gradient, 0, chunks).forEach((g, i) => {
      const h = after(hiddens[i]!, [gradient, ...parts.slice(-1).map((part) => part.hidden)]);
      const forward = chunks.length === 1 ? forwards[0]! : chunkForward(h, weight, target[i]!, false);
      parts.push(chunkBackward(forward, weight, target[i]!, g, weightNeeded));
    });
    return parts;
  };

  const output = concat(
    forwards.map((forward) => forward.logprobs),
    0,
  );
  const logprobs = withGradient(output, [hidden, weight], (gradient, needs) => {
    const parts = upstreams ? backwards : recomputed(gradient, needs[1]!);
    return [
      concat(
        parts.map((part) => part.hidden),
        0,
      ),
      headTrained ? parts.map((part) => part.weight!).reduce((a, b) => add(a, b)) : null,
    ];
  });
  const entropy = options.entropy
    ? concat(
        forwards.map((forward) => forward.entropy!),
        0,
      )
    : null;
  return { logprobs, entropy };
}

interface ChunkForward {
  readonly hidden_md: Tensor;
  readonly probabilities_mV: Tensor;
  readonly logprobs: Tensor;
  readonly entropy: Tensor | null;
}

function chunkForward(hidden_md: Tensor, weight: Tensor, targets: Tensor, wantEntropy: boolean): ChunkForward {
  const logits_mV = linear(hidden_md, weight);
  const probabilities_mV = softmax(logits_mV);
  // The largest probability is 1 / Σ exp(logit − max), so this is log Σ exp without another pass of exponentials, and
  // unlike the log of a probability it does not underflow.
  const logNormalizer = subtract(max(logits_mV, [-1]), log(max(probabilities_mV, [-1])));
  return {
    hidden_md,
    probabilities_mV,
    logprobs: subtract(pick(logits_mV, targets), logNormalizer),
    entropy: wantEntropy ? subtract(logNormalizer, sum(multiply(probabilities_mV, logits_mV), [-1])) : null,
  };
}

interface ChunkGradient {
  readonly hidden: Tensor;
  readonly weight: Tensor | null;
}

function chunkBackward(
  { hidden_md, probabilities_mV }: ChunkForward,
  weight: Tensor,
  targets: Tensor,
  g_m: Tensor,
  headTrained: boolean,
): ChunkGradient {
  const g_m1 = reshape(g_m, [...g_m.shape, 1]);
  if (!headTrained) {
    // Nobody reads ∂/∂logits itself, so onehot(target) stays a row of the weight.
    const gradient_md = add(gatherRows(weight, targets), gemm(probabilities_mV, weight, false, false, -1));
    return { hidden: multiply(gradient_md, g_m1), weight: null };
  }
  // g scales the rows of both products: cheaper there than in the logits.
  const error_mV = addPicked(probabilities_mV, targets, fill(-1, targets.shape));
  const negated_m1 = negate(g_m1);
  return {
    hidden: multiply(gemm(error_mV, weight), negated_m1),
    weight: gemm(error_mV, multiply(hidden_md, negated_m1), true, false),
  };
}

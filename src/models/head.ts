import {
  add,
  after,
  concat,
  constantInt,
  type Dim,
  divide,
  exp,
  gatherRows,
  gemm,
  linear,
  log,
  max,
  minimum,
  multiply,
  pick,
  reshape,
  softmax,
  split,
  stopGradient,
  subtract,
  sum,
  type Tensor,
  withGradient,
} from '../graph/index.js';

// Shape suffixes: M wanted positions, m positions of one chunk, d hidden size, V vocabulary, v tokens of one part of it,
// P parts.

/** The weight of the output head, [V, d]: whole, and as parts of its rows in their order, see `headPartRows`. */
export interface HeadWeight {
  readonly whole: Tensor;
  readonly parts: readonly Tensor[];
}

export interface HeadOptions {
  /** Rows of each chunk; they add up to M. One chunk keeps its probabilities for the backward pass. */
  readonly chunks: readonly Dim[];
  /**
   * The gradient of the loss with respect to the log-probabilities [M], where it does not depend on them: each chunk then
   * runs its backward pass right after its forward pass and nothing is computed twice.
   */
  readonly upstream: Tensor | null;
  readonly entropy: boolean;
}

export interface HeadResult {
  /** log softmax(h Wᵀ) at the target, [M]. */
  readonly logprobs: Tensor;
  /** Entropy of the next-token distribution in nats, [M]. No gradient flows through it. */
  readonly entropy: Tensor | null;
  /**
   * The head's rows of the targets, [M, d]. The gradient of a row of the head is that of its part, which leaves out what
   * makes a target likelier, and that of these rows.
   */
  readonly targetRows: Tensor;
}

const partRows = 4112;

/**
 * Rows of each part of a head over `vocabulary` tokens. The logits of a part stay in the processor's cache from one product
 * to the next, and their rows do not lie a multiple of 4 KiB apart, which would put them all into the same few cache lines.
 */
export function headPartRows(vocabulary: number): number[] {
  if (vocabulary < 2 * partRows) return [vocabulary];
  const full = Math.floor(vocabulary / partRows);
  const rest = vocabulary - full * partRows;
  return [...Array.from({ length: full }, () => partRows), ...(rest > 0 ? [rest] : [])];
}

/**
 * Log-probabilities of the targets from hidden states [M, d], a chunk of positions and a part of the vocabulary at a time,
 * so that memory does not grow with M · V: linear, log-softmax and gather are one function with the gradient
 * ∂/∂logits = g · (onehot(target) − p).
 *
 * Softmax is taken within each part. The share that a part has in the whole is a factor of each position, which is as well
 * multiplied with the results of the products: no pass over all logits waits for the last part.
 */
export function tokenLogprobs(hidden: Tensor, weight: HeadWeight, targets: Tensor, options: HeadOptions): HeadResult {
  const { chunks, upstream } = options;
  const targetRows = gatherRows(weight.whole, targets);
  const hiddens = split(hidden, 0, chunks);
  const target = split(targets, 0, chunks);
  const rows = split(targetRows, 0, chunks);
  const upstreams = upstream ? split(upstream, 0, chunks) : null;

  const forward = (i: number, earlier: readonly Tensor[], entropy: boolean, productsWanted: boolean): ChunkForward =>
    chunkForward(after(hiddens[i]!, earlier), weight.parts, target[i]!, entropy, productsWanted);

  const forwards: ChunkForward[] = [];
  const backwards: ChunkGradient[] = [];
  hiddens.forEach((_, i) => {
    const earlier = backwards.slice(-1).map((before) => before.hidden);
    forwards.push(forward(i, earlier, options.entropy, upstreams !== null));
    if (upstreams) backwards.push(chunkBackward(forwards[i]!, weight.parts, rows[i]!, upstreams[i]!));
  });

  /** One chunk after the other; a single chunk still has its probabilities. */
  const recomputed = (gradient: Tensor): ChunkGradient[] => {
    const done: ChunkGradient[] = [];
    split(gradient, 0, chunks).forEach((g, i) => {
      const earlier = [gradient, ...done.slice(-1).map((before) => before.hidden)];
      const again = chunks.length === 1 ? forwards[0]! : forward(i, earlier, false, true);
      done.push(chunkBackward(again, weight.parts, rows[i]!, g));
    });
    return done;
  };

  const output = joined(forwards.map((chunk) => chunk.logprobs));
  const logprobs = withGradient(output, [hidden, targetRows, ...weight.parts], (gradient, needs) => {
    const done = upstreams ? backwards : recomputed(gradient);
    const [hiddenNeeded, , ...partNeeded] = needs;
    return [
      hiddenNeeded ? joined(done.map((chunk) => chunk.hidden)) : null,
      needs[1] ? joined(done.map((chunk) => chunk.targetRows)) : null,
      ...partNeeded.map((needed, p) =>
        needed ? done.map((chunk) => chunk.part(p)).reduce((a, b) => add(a, b)) : null,
      ),
    ];
  });
  const entropy = options.entropy ? stopGradient(joined(forwards.map((chunk) => chunk.entropy!))) : null;
  return { logprobs, entropy, targetRows };
}

const joined = (chunks: readonly Tensor[]): Tensor => concat(chunks, 0);

interface PartForward {
  readonly probabilities_mv: Tensor;
  /** log Σ exp(logit) over the part, [m, 1]. */
  readonly logNormalizer: Tensor;
  /** Σ p · logit over the part, [m, 1]. */
  readonly meanLogit: Tensor | null;
  /** p W, [m, d]; null where it comes with the gradient. */
  readonly product: Tensor | null;
  /** Logit of the target, [m, 1], where it lies in this part. */
  readonly targetLogit: Tensor;
}

interface ChunkForward {
  readonly hidden_md: Tensor;
  readonly parts: readonly PartForward[];
  /** Probability of each part, [m, 1]. */
  readonly shares: readonly Tensor[];
  readonly logprobs: Tensor;
  readonly entropy: Tensor | null;
}

function chunkForward(
  hidden_md: Tensor,
  weights: readonly Tensor[],
  targets: Tensor,
  wantEntropy: boolean,
  productsWanted: boolean,
): ChunkForward {
  const size = weights[0]!.shape[0] as number;
  const partOfTarget = divide(targets, constantInt([size], []));
  const withinPart = subtract(targets, multiply(partOfTarget, constantInt([size], [])));
  const parts: PartForward[] = [];
  for (const weight of weights) {
    // One part after the other, while its logits are in the cache.
    const h = after(
      hidden_md,
      parts.slice(-1).map((part) => part.product ?? part.logNormalizer),
    );
    parts.push(partForward(h, weight, withinPart, wantEntropy, productsWanted));
  }
  const column = (values: (part: PartForward) => Tensor): Tensor => concat(parts.map(values), 1);
  const logNormalizers_mP = column((part) => part.logNormalizer);
  const largest = max(logNormalizers_mP, [-1], { keep: true });
  const logNormalizer = add(largest, log(sum(exp(subtract(logNormalizers_mP, largest)), [-1], { keep: true })));
  // Not exp(part − whole): the whole's rounding grows with the logits, and shares that do not add up to 1 spoil the gradient.
  const shares_mP = softmax(logNormalizers_mP);
  const flat = reshape(logNormalizer, targets.shape);
  return {
    hidden_md,
    parts,
    shares: split(
      shares_mP,
      1,
      parts.map(() => 1),
    ),
    logprobs: subtract(
      pick(
        column((part) => part.targetLogit),
        partOfTarget,
      ),
      flat,
    ),
    entropy: wantEntropy
      ? subtract(
          flat,
          sum(
            multiply(
              shares_mP,
              column((part) => part.meanLogit!),
            ),
            [-1],
          ),
        )
      : null,
  };
}

function partForward(
  h: Tensor,
  weight: Tensor,
  withinPart: Tensor,
  wantEntropy: boolean,
  productWanted: boolean,
): PartForward {
  const logits_mv = linear(h, weight);
  const probabilities_mv = softmax(logits_mv);
  const rows = (x: Tensor): Tensor => reshape(x, [...withinPart.shape, 1]);
  return {
    probabilities_mv,
    // The largest probability is 1 / Σ exp(logit − max), so this is log Σ exp without another pass of exponentials, and
    // unlike the log of a probability it does not underflow.
    logNormalizer: subtract(max(logits_mv, [-1], { keep: true }), log(max(probabilities_mv, [-1], { keep: true }))),
    meanLogit: wantEntropy ? sum(multiply(probabilities_mv, logits_mv), [-1], { keep: true }) : null,
    product: productWanted ? gemm(probabilities_mv, weight) : null,
    // The last part may be shorter. What is read there for targets of other parts is not used.
    targetLogit: rows(pick(logits_mv, minimum(withinPart, constantInt([(weight.shape[0] as number) - 1], [])))),
  };
}

interface ChunkGradient {
  readonly hidden: Tensor;
  readonly targetRows: Tensor;
  /** Of one part of the head, without the targets' own rows, [v, d]. */
  part(index: number): Tensor;
}

/** The gradients where `g` [m] arrives at the log-probabilities; `targetRows` [m, d] are the head's rows of the targets. */
function chunkBackward(
  { hidden_md, parts, shares }: ChunkForward,
  weights: readonly Tensor[],
  targetRows: Tensor,
  g: Tensor,
): ChunkGradient {
  const g_m1 = reshape(g, [...g.shape, 1]);
  const expectedRow = parts
    .map(({ product, probabilities_mv }, i) => multiply(product ?? gemm(probabilities_mv, weights[i]!), shares[i]!))
    .reduce((a, b) => add(a, b));
  return {
    hidden: multiply(subtract(targetRows, expectedRow), g_m1),
    targetRows: multiply(hidden_md, g_m1),
    part: (i) => gemm(parts[i]!.probabilities_mv, multiply(hidden_md, multiply(shares[i]!, g_m1)), true, false, -1),
  };
}

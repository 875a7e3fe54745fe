import type { SerializedGraph } from '../graph/index.js';

/**
 * One training sequence. Position t predicts `targets[t]` from `tokens[0..t]`, so targets are the tokens shifted by one
 * (as in the Tinker protocol's Datum).
 */
export interface Sequence {
  readonly tokens: Int32Array;
  readonly targets: Int32Array;
  /** 1 where the log-probability of the target is wanted, 0 elsewhere. Only wanted positions reach the output head. */
  readonly wanted: Uint8Array;
}

export interface Batch {
  readonly sequences: readonly Sequence[];
  /** Per-token inputs of the loss by name (weights, advantages, old log-probabilities), aligned with `tokens`. */
  readonly inputs: Readonly<Record<string, readonly Float32Array[]>>;
  /** Scalar inputs of the loss by name (clip range). */
  readonly scalars: Readonly<Record<string, number>>;
  /** Log-probabilities and entropy are those of softmax(logits / temperature). Default 1. */
  readonly temperature?: number;
}

/**
 * A loss: a graph from per-token log-probabilities to a scalar, built once by `defineLoss` and sent to the engine as data.
 * A remote engine that cannot run it gets its gradient with respect to the log-probabilities instead.
 */
export interface Loss {
  readonly name: string;
  readonly graph: SerializedGraph;
  /** Per-token columns it reads, beside `logprobs` and `segment`. */
  readonly inputs: readonly string[];
  readonly scalars: readonly string[];
  /** Named scalar outputs beside the loss, summed over micro-batches. */
  readonly metrics: readonly string[];
  readonly needsEntropy: boolean;
}

export interface ForwardOptions {
  /** `off` switches the LoRA adapter off, which gives the frozen reference. Default `on`. */
  readonly adapter?: 'on' | 'off';
  readonly entropy?: boolean;
  readonly signal?: AbortSignal;
}

export interface ForwardResult {
  /** One array a sequence; 0 where not wanted. */
  readonly logprobs: readonly Float32Array[];
  readonly entropy?: readonly Float32Array[];
}

export interface ForwardBackwardResult extends ForwardResult {
  readonly loss: number;
  readonly metrics: Readonly<Record<string, number>>;
}

/** AdamW with decoupled weight decay (Loshchilov & Hutter 2019, algorithm 2), as PyTorch's `AdamW`. */
export interface OptimStepParams {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  /** Global L2 norm the gradient is clipped to; 0 = no clipping. */
  readonly maxGradNorm: number;
}

export interface OptimStepResult {
  /** Before clipping. Not finite = the step was not applied. */
  readonly gradNorm: number;
  readonly step: number;
}

export interface SamplingParams {
  readonly maxTokens: number;
  /** 0 = greedy. */
  readonly temperature: number;
  readonly topP: number;
  /** 0 = off. */
  readonly topK: number;
  readonly minP: number;
  readonly repetitionPenalty: number;
  readonly stopTokens: readonly number[];
  readonly stopStrings: readonly string[];
}

export interface SampleRequest {
  readonly prompt: Int32Array;
  readonly params: SamplingParams;
  /** The draws of a request depend on its seed and on nothing else in the batch. */
  readonly seed: number;
}

export interface SampleResult {
  /** The sampled tokens, the stop token included, the prompt not. */
  readonly tokens: Int32Array;
  /** log-probability of each sampled token under the distribution it was drawn from. */
  readonly samplingLogprobs: Float32Array;
  /** The same under the model's own distribution (temperature 1, nothing cut off). */
  readonly logprobs: Float32Array;
  readonly finishReason: 'stop' | 'length' | 'aborted';
  readonly policyVersion: number;
}

export interface SampleOptions {
  readonly signal?: AbortSignal;
  /** Called on each finished request, in order of completion. */
  readonly onResult?: (index: number, result: SampleResult) => void;
  /** Called after every decoding step with the number of tokens sampled so far over all requests. */
  readonly onProgress?: (sampledTokens: number) => void;
  /** Called with each new token of a request (for streaming to a terminal). */
  readonly onToken?: (index: number, token: number) => void;
}

export interface Capabilities {
  readonly engine: string;
  readonly device: string;
  /** What this engine cannot do, with the reason. */
  readonly missing: Readonly<Record<string, string>>;
}

/** What the compute plane does. Verbs after the Tinker training protocol, so that a remote server can stand behind it. */
export interface Engine {
  capabilities(): Capabilities;
  /** Log-probabilities of the targets under the current weights. */
  forward(batch: Batch, options?: ForwardOptions): Promise<ForwardResult>;
  /** Adds the gradient of the loss to the accumulated gradient. */
  forwardBackward(
    batch: Batch,
    loss: Loss,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ForwardBackwardResult>;
  /** Applies the accumulated gradient and clears it. A gradient that is not finite is cleared and not applied. */
  optimStep(params: OptimStepParams): Promise<OptimStepResult>;
  /** Samples with the published weights. Requests with an equal prompt share its prefill. */
  sample(requests: readonly SampleRequest[], options?: SampleOptions): Promise<readonly SampleResult[]>;
  /** Makes the current weights the ones that `sample` uses. */
  publish(version: number): Promise<void>;
  /**
   * Writes trainable weights, optimizer moments and counters into `directory` (one file, `engine.safetensors`), as they
   * were after the last optimizer step: a gradient accumulated since is not part of it, nor are its micro-batches.
   */
  saveState(directory: string): Promise<void>;
  loadState(directory: string): Promise<void>;
  /** Writes what other tools read: a Hugging Face checkpoint (full) or a PEFT adapter (LoRA). */
  exportModel(directory: string): Promise<void>;
  dispose(): Promise<void>;
}

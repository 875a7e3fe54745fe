import { type Dim, formatShape } from './dim.js';

export type DType = 'float32' | 'int64' | 'bool';

export type Attribute = number | string | boolean | Dim | readonly Dim[] | readonly number[];

/** One application of an op. Immutable; equal nodes are merged when a graph is compiled. */
export interface Node {
  readonly definition: OpDefinition;
  readonly inputs: readonly Tensor[];
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** Elements of a `constant`. */
  readonly data?: Float32Array | BigInt64Array;
  /** Rebuilds the region that a `region` node stands for. */
  readonly rebuild?: (input: Tensor) => Tensor;
  /** The gradient that a `custom` node was given. */
  readonly backward?: (gradient: Tensor, needs: readonly boolean[]) => readonly (Tensor | null)[];
}

/** A value in the graph: one output of a node, with its element type and its (symbolic) shape. */
export interface Tensor {
  readonly node: Node;
  readonly output: number;
  readonly dtype: DType;
  readonly shape: readonly Dim[];
}

export interface TensorType {
  readonly dtype: DType;
  readonly shape: readonly Dim[];
}

/**
 * An op: how its shape follows from its inputs, how a gradient flows back through it, and how it is written in ONNX.
 * Shape errors name the op and the shapes it was given.
 */
export interface OpDefinition {
  readonly name: string;
  /** Types of the outputs. Throws through `fail` when the inputs do not fit. */
  infer(inputs: readonly Tensor[], attributes: Node['attributes']): readonly TensorType[];
  /**
   * Gradients of the inputs from the gradients of the outputs. `needs[i]` tells whether input i wants one.
   * Absent for ops through which no gradient flows.
   */
  gradient?(context: GradientContext): readonly (Tensor | null)[];
  /** Writes the node with `emit`; returns the names of the outputs. */
  lower(context: LoweringContext): readonly string[];
}

export interface GradientContext {
  readonly node: Node;
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  /** Gradient of each output; null where nothing flows. */
  readonly gradients: readonly (Tensor | null)[];
  /** Whether an input wants a gradient. */
  readonly needs: readonly boolean[];
}

export interface LoweringContext {
  readonly node: Node;
  readonly inputs: readonly string[];
  /** Adds an ONNX node and returns its output names. */
  emit(op: string, inputs: readonly string[], attributes?: OnnxAttributes, options?: EmitOptions): string[];
  /** Name of an int64 vector that holds these sizes when the graph runs. */
  sizes(dims: readonly Dim[]): string;
  /** Names of constants; the shape defaults to a vector. */
  floats(values: readonly number[], shape?: readonly number[]): string;
  integers(values: readonly number[], shape?: readonly number[]): string;
}

export interface EmitOptions {
  readonly domain?: 'com.microsoft';
  readonly outputs?: number;
}

/** `{ float: x }` writes a float attribute, a bare number an int. */
export type OnnxAttributes = Readonly<Record<string, number | string | readonly number[] | { readonly float: number }>>;

export function fail(op: string, inputs: readonly Tensor[], reason: string): never {
  const given = inputs.map((input) => `${input.dtype}${formatShape(input.shape)}`).join(' and ');
  throw new Error(`graph: ${op} of ${given || 'nothing'}: ${reason}`);
}

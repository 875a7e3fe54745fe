import { type Bindings, bindDim, type Dim, formatDim, formatShape } from './dim.js';
import { fusedSums } from './fuse.js';
import { topologicalOrder } from './gradient.js';
import { encodeOnnx, type OnnxInitializer, type OnnxNode, type OnnxValue } from './onnx.js';
import type { DType, EmitOptions, LoweringContext, Node, OnnxAttributes, Tensor } from './tensor.js';

export interface CompileOptions {
  /** Symbols fixed to a number. The others are fed as inputs named `dim:<symbol>` (int64, [1]). */
  readonly bindings?: Bindings;
  /** Inputs turned into constants, which ONNX Runtime packs for its kernels when the session is made. */
  readonly constants?: ReadonlyMap<string, ConstantData>;
}

/** The elements of an input that becomes a constant; `external` names the file ONNX Runtime will be given for it. */
export interface ConstantData {
  readonly shape: readonly number[];
  readonly data: Float32Array | { readonly location: string; readonly offset: number; readonly length: number };
}

export interface CompiledGraph {
  readonly onnx: Uint8Array;
  readonly inputs: readonly { readonly name: string; readonly dtype: DType }[];
  readonly outputs: readonly string[];
  /** Symbols that must be fed. */
  readonly symbols: readonly string[];
}

/** Numbers as text that keeps -0, infinities and NaN apart, which JSON does not. */
const spell = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));
const spellOut = (_: string, value: unknown): unknown => (typeof value === 'number' ? spell(value) : value);

/**
 * Writes the part of the graph that the outputs need as an ONNX model. Nodes with equal ops, attributes and inputs are
 * written once.
 */
export function compile(outputs: Readonly<Record<string, Tensor>>, options: CompileOptions = {}): CompiledGraph {
  const bindings = options.bindings ?? {};
  const nodes: OnnxNode[] = [];
  const inputs = new Map<string, OnnxValue>();
  const initializers = new Map<string, OnnxInitializer>();
  const symbols = new Set<string>();
  let count = 0;

  const emit = (
    op: string,
    ins: readonly string[],
    attributes: OnnxAttributes = {},
    opts: EmitOptions = {},
  ): string[] => {
    const outs = Array.from({ length: opts.outputs ?? 1 }, () => `%${count++}`);
    nodes.push({ op, inputs: ins, outputs: outs, attributes, domain: opts.domain ?? '' });
    return outs;
  };

  const constantNames = new Map<string, string>();
  const initializer = (dtype: 'float32' | 'int64', values: readonly number[], shape: readonly number[]): string => {
    const key = `${dtype}:${values.map(spell).join(',')}:${shape.join('x')}`;
    const known = constantNames.get(key);
    if (known) return known;
    const name = `%c${constantNames.size}`;
    constantNames.set(key, name);
    const array = dtype === 'float32' ? Float32Array.from(values) : BigInt64Array.from(values.map(BigInt));
    initializers.set(name, { name, dtype, shape, data: new Uint8Array(array.buffer) });
    return name;
  };
  const floats = (values: readonly number[], shape: readonly number[] = [values.length]): string =>
    initializer('float32', values, shape);
  const integers = (values: readonly number[], shape: readonly number[] = [values.length]): string =>
    initializer('int64', values, shape);

  const dimVectors = new Map<string, string>();
  const remember = (key: string, make: () => string): string => {
    const known = dimVectors.get(key);
    if (known) return known;
    const name = make();
    dimVectors.set(key, name);
    return name;
  };
  /** Name of an int64 [1] that holds one symbolic size. */
  const size = (dim: Dim): string =>
    typeof dim === 'number'
      ? integers([dim])
      : remember(formatDim(dim), () => {
          let total: string | null = null;
          for (const term of dim.terms) {
            let product: string | null =
              term.coefficient === 1 && term.symbols.length > 0 ? null : integers([term.coefficient]);
            for (const name of term.symbols) {
              symbols.add(name);
              const fed = `dim:${name}`;
              inputs.set(fed, { name: fed, dtype: 'int64', shape: [1] });
              product = product ? emit('Mul', [product, fed])[0]! : fed;
            }
            total = total ? emit('Add', [total, product!])[0]! : product;
          }
          return total!;
        });
  const sizes = (dims: readonly Dim[]): string => {
    const bound = dims.map((dim) => bindDim(dim, bindings));
    if (bound.every((dim) => typeof dim === 'number')) return integers(bound as number[]);
    if (bound.length === 1) return size(bound[0]!);
    return remember(bound.map(formatDim).join(' | '), () => {
      // Runs of known sizes stay one constant.
      const parts: string[] = [];
      let known: number[] = [];
      for (const dim of [...bound, null]) {
        if (typeof dim === 'number') known.push(dim);
        else {
          if (known.length > 0) parts.push(integers(known));
          known = [];
          if (dim !== null) parts.push(size(dim));
        }
      }
      return parts.length === 1 ? parts[0]! : emit('Concat', parts, { axis: 0 })[0]!;
    });
  };

  const shapeNames = (shape: readonly Dim[]): (number | string)[] =>
    shape.map((dim) => {
      const bound = bindDim(dim, bindings);
      return typeof bound === 'number' ? bound : formatDim(bound).replaceAll(' ', '');
    });

  const written = new Map<Node, readonly string[]>();
  const byKey = new Map<string, readonly string[]>();

  const declared = new Map<string, string>();
  const writeInput = (node: Node): readonly string[] => {
    const name = node.attributes.name as string;
    const dtype = node.attributes.dtype as DType;
    const shapeBound = (node.attributes.shape as readonly Dim[]).map((dim) => bindDim(dim, bindings));
    const type = `${dtype}${formatShape(shapeBound)}`;
    const before = declared.get(name) ?? type;
    if (before !== type) throw new Error(`graph: the input ${name} is both ${before} and ${type}`);
    declared.set(name, type);
    const constant = options.constants?.get(name);
    if (constant) {
      const { data, shape } = constant;
      const fits =
        shape.length === shapeBound.length && shapeBound.every((dim, i) => typeof dim !== 'number' || dim === shape[i]);
      if (dtype !== 'float32' || !fits) {
        throw new Error(`graph: the input ${name} is ${type}, its constant float32${formatShape(shape)}`);
      }
      const count = data instanceof Float32Array ? data.length : data.length / 4;
      if (count !== shape.reduce((a, b) => a * b, 1)) {
        throw new Error(`graph: the constant ${name} of shape ${formatShape(shape)} was given ${count} values`);
      }
      const bytes = data instanceof Float32Array ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : data;
      initializers.set(name, { name, dtype, shape, data: bytes });
    } else {
      inputs.set(name, { name, dtype, shape: shapeNames(node.attributes.shape as readonly Dim[]) });
    }
    return [name];
  };

  const tensors = Object.values(outputs);
  const order = topologicalOrder(tensors);
  const sums = fusedSums(order, tensors);
  const absorbed = new Set([...sums.values()].map(({ product }) => product));

  const write = (given: Node): readonly string[] => {
    const sum = sums.get(given);
    const node = sum?.product ?? given;
    const operands = sum ? [...sum.product.inputs, sum.addend] : node.inputs;
    const names = operands.map((tensor) => written.get(tensor.node)![tensor.output]!);
    const key = `${node.definition.name}(${names.join(',')})${JSON.stringify(node.attributes, spellOut)}`;
    // Constants are told apart by their elements where they are written.
    const known = node.data ? undefined : byKey.get(key);
    if (known) return known;
    const context: LoweringContext = { node, inputs: names, emit, sizes, floats, integers };
    const outs = node.definition.lower(context);
    byKey.set(key, outs);
    return outs;
  };

  for (const node of order) {
    if (absorbed.has(node)) continue;
    written.set(node, node.inputs.length === 0 && 'name' in node.attributes ? writeInput(node) : write(node));
  }

  const renamed = new Map<string, string>();
  const produced = new Set(nodes.flatMap((node) => node.outputs));
  const outputValues = Object.entries(outputs).map(([name, tensor]) => {
    if (declared.has(name)) throw new Error(`graph: ${name} is the name of an input and of an output`);
    const source = written.get(tensor.node)![tensor.output]!;
    // The node that makes a value writes it under the output's name; an Identity would copy it.
    if (produced.has(source) && !renamed.has(source)) renamed.set(source, name);
    else nodes.push({ op: 'Identity', inputs: [source], outputs: [name], attributes: {}, domain: '' });
    return { name, dtype: tensor.dtype, shape: shapeNames(tensor.shape) };
  });
  const rename = (names: readonly string[]): string[] => names.map((name) => renamed.get(name) ?? name);

  const onnx = encodeOnnx({
    nodes: nodes.map((node) => ({ ...node, inputs: rename(node.inputs), outputs: rename(node.outputs) })),
    inputs: [...inputs.values()],
    outputs: outputValues,
    initializers: [...initializers.values()],
  });
  return {
    onnx,
    inputs: [...inputs.values()].map(({ name, dtype }) => ({ name, dtype })),
    outputs: Object.keys(outputs),
    symbols: [...symbols],
  };
}

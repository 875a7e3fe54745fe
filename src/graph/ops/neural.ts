import { apply, define } from '../apply.js';
import { sameDim, sameShape } from '../dim.js';
import { fail, type Tensor } from '../tensor.js';
import { add, divide, multiply, negate, sqrt, subtract } from './elementwise.js';
import { sum, sumTo } from './reduce.js';
import { sizeOf } from './shape.js';

const softmaxOp = define({
  name: 'softmax',
  infer(inputs) {
    const [x] = inputs;
    if (x!.dtype !== 'float32' || x!.shape.length === 0) fail('softmax', inputs, 'takes float32 with one axis or more');
    return [{ dtype: 'float32', shape: x!.shape }];
  },
  gradient({ gradients: [g], outputs: [p] }) {
    const weighted = multiply(g!, p!);
    return [subtract(weighted, multiply(p!, sum(weighted, [-1], { keep: true })))];
  },
  lower: ({ emit, inputs }) => emit('Softmax', inputs, { axis: -1 }),
});

/** Softmax over the last axis. */
export function softmax(x: Tensor): Tensor {
  return apply(softmaxOp, [x]);
}

const rmsNormOp = define({
  name: 'rmsNorm',
  infer(inputs) {
    const [x, weight] = inputs as readonly [Tensor, Tensor];
    if (x.dtype !== 'float32' || weight.dtype !== 'float32') fail('rmsNorm', inputs, 'takes float32');
    if (weight.shape.length !== 1 || !sameDim(weight.shape[0]!, x.shape.at(-1) ?? -1)) {
      fail('rmsNorm', inputs, 'the weight does not fit the last axis');
    }
    return [{ dtype: 'float32', shape: x.shape }];
  },
  // The kernel could give the inverse deviation as a second output, but on WebGPU that one holds something else.
  gradient({ gradients: [g], inputs: [x, weight], needs, node }) {
    const count = sizeOf([x!.shape.at(-1)!]);
    const squares = add(
      sum(multiply(x!, x!), [-1], { keep: true }),
      multiply(count, node.attributes.epsilon as number),
    );
    const inverse = sqrt(divide(count, squares));
    const scaled = multiply(g!, weight!);
    // Over x itself, not over x̂: one pass over the rows less.
    const along = divide(sum(multiply(scaled, x!), [-1], { keep: true }), squares);
    return [
      needs[0] ? multiply(inverse, subtract(scaled, multiply(x!, along))) : null,
      needs[1] ? sumTo(multiply(g!, multiply(x!, inverse)), weight!.shape) : null,
    ];
  },
  lower: ({ emit, inputs, node }) =>
    emit('SimplifiedLayerNormalization', inputs, {
      axis: -1,
      epsilon: { float: node.attributes.epsilon as number },
      stash_type: 1,
    }),
});

/** w · x / sqrt(mean(x²) + ε) over the last axis (Zhang & Sennrich 2019). */
export function rmsNorm(x: Tensor, weight: Tensor, epsilon: number): Tensor {
  return apply(rmsNormOp, [x, weight], { epsilon });
}

const rotaryOp = define({
  name: 'rotary',
  infer(inputs) {
    const [x, positions, cos, sin] = inputs as readonly [Tensor, Tensor, Tensor, Tensor];
    const fits =
      (x.shape.length === 3 || x.shape.length === 4) &&
      positions.dtype === 'int64' &&
      sameShape(positions.shape, [x.shape[0]!, x.shape.at(-2)!]) &&
      cos.shape.length === 2 &&
      sameShape(cos.shape, sin.shape);
    if (!fits)
      fail('rotary', inputs, 'takes x [B, S, heads·D] or [B, heads, S, D], positions [B, S], cos and sin [R, D/2]');
    return [{ dtype: 'float32', shape: x.shape }];
  },
  gradient: ({ gradients: [g], inputs: [, positions, cos, sin] }) => [
    rotary(g!, positions!, cos!, negate(sin!)),
    null,
    null,
    null,
  ],
  lower: ({ emit, inputs }) => emit('RotaryEmbedding', inputs, {}, { domain: 'com.microsoft' }),
});

/**
 * Rotary position embedding (Su et al. 2021) in the half-split layout of Hugging Face checkpoints.
 * ONNX Runtime wants at least as many rows in `cos` and `sin` as x has positions.
 */
export function rotary(x: Tensor, positions: Tensor, cos: Tensor, sin: Tensor): Tensor {
  return apply(rotaryOp, [x, positions, cos, sin]);
}

const argmaxOp = define({
  name: 'argmax',
  infer(inputs) {
    const [x] = inputs;
    if (x!.dtype !== 'float32' || x!.shape.length === 0) fail('argmax', inputs, 'takes float32 with one axis or more');
    return [{ dtype: 'int64', shape: x!.shape.slice(0, -1) }];
  },
  lower: ({ emit, inputs }) => emit('ArgMax', inputs, { axis: -1, keepdims: 0 }),
});

/** Position of the largest value along the last axis; the first at a tie. */
export function argmax(x: Tensor): Tensor {
  return apply(argmaxOp, [x]);
}

const cumulativeSumOp = define({
  name: 'cumulativeSum',
  infer(inputs) {
    const [x] = inputs as readonly [Tensor];
    if (x.dtype !== 'float32' || x.shape.length === 0)
      fail('cumulativeSum', inputs, 'takes float32 with one axis or more');
    return [{ dtype: 'float32', shape: x.shape }];
  },
  lower: ({ emit, inputs, integers, node }) =>
    emit('CumSum', [inputs[0]!, integers([node.inputs[0]!.shape.length - 1], [])]),
});

/** Running sums along the last axis. No gradient flows through it. */
export function cumulativeSum(x: Tensor): Tensor {
  return apply(cumulativeSumOp, [x]);
}

const floorOp = define({
  name: 'floorToInt',
  infer(inputs) {
    const [x] = inputs as readonly [Tensor];
    if (x.dtype !== 'float32') fail('floorToInt', inputs, 'takes float32');
    return [{ dtype: 'int64', shape: x.shape }];
  },
  lower({ emit, inputs }) {
    const [whole] = emit('Floor', inputs);
    return emit('Cast', [whole!], { to: 7 });
  },
});

/** The largest integer at most each value, as int64. */
export function floorToInt(x: Tensor): Tensor {
  return apply(floorOp, [x]);
}

import { apply, define } from '../apply.js';
import { type Dim, sameDim } from '../dim.js';
import { fail, type Tensor } from '../tensor.js';
import { broadcastShape } from './elementwise.js';
import { sumTo } from './reduce.js';
import { transpose } from './shape.js';

const matmulOp = define({
  name: 'matmul',
  infer(inputs) {
    const [a, b] = inputs as readonly [Tensor, Tensor];
    const fits = inputs.every(({ dtype, shape }) => dtype === 'float32' && shape.length >= 2);
    if (!fits) fail('matmul', inputs, 'takes float32 tensors of two axes or more');
    const [rows, inner] = a.shape.slice(-2) as [Dim, Dim];
    const [innerB, columns] = b.shape.slice(-2) as [Dim, Dim];
    const batch = broadcastShape(a.shape.slice(0, -2), b.shape.slice(0, -2));
    if (!sameDim(inner, innerB) || !batch) fail('matmul', inputs, 'the inner sizes or the batch axes differ');
    return [{ dtype: 'float32', shape: [...batch, rows, columns] }];
  },
  gradient: ({ gradients: [g], inputs: [a, b], needs }) => [
    needs[0] ? sumTo(matmul(g!, swapLast(b!)), a!.shape) : null,
    needs[1] ? sumTo(matmul(swapLast(a!), g!), b!.shape) : null,
  ],
  lower: ({ emit, inputs }) => emit('MatMul', inputs),
});

/** Matrix product over the last two axes; the axes before broadcast. */
export function matmul(a: Tensor, b: Tensor): Tensor {
  return apply(matmulOp, [a, b]);
}

/** Transposes the last two axes. ONNX Runtime folds it into a neighbouring MatMul. */
export function swapLast(x: Tensor): Tensor {
  const axes = x.shape.map((_, i) => i);
  const n = axes.length;
  return transpose(x, [...axes.slice(0, n - 2), n - 1, n - 2]);
}

interface GemmAttributes {
  readonly transposeA: boolean;
  readonly transposeB: boolean;
  readonly scale: number;
}

const gemmOp = define({
  name: 'gemm',
  infer(inputs, { transposeA, transposeB }) {
    const [a, b] = inputs as readonly [Tensor, Tensor];
    const fits = inputs.every(({ dtype, shape }) => dtype === 'float32' && shape.length === 2);
    if (!fits) fail('gemm', inputs, 'takes two float32 matrices');
    const [rows, inner] = transposeA ? [a.shape[1]!, a.shape[0]!] : [a.shape[0]!, a.shape[1]!];
    const [innerB, columns] = transposeB ? [b.shape[1]!, b.shape[0]!] : [b.shape[0]!, b.shape[1]!];
    if (!sameDim(inner, innerB)) fail('gemm', inputs, 'the inner sizes differ');
    return [{ dtype: 'float32', shape: [rows, columns] }];
  },
  gradient({ gradients: [g], inputs: [a, b], needs, node }) {
    const { transposeA: ta, transposeB: tb, scale } = node.attributes as unknown as GemmAttributes;
    return [
      needs[0] ? (ta ? gemm(b!, g!, tb, true, scale) : gemm(g!, b!, false, !tb, scale)) : null,
      needs[1] ? (tb ? gemm(g!, a!, true, ta, scale) : gemm(a!, g!, !ta, false, scale)) : null,
    ];
  },
  lower: ({ emit, inputs, node }) =>
    emit('Gemm', inputs, {
      transA: node.attributes.transposeA ? 1 : 0,
      transB: node.attributes.transposeB ? 1 : 0,
      alpha: { float: node.attributes.scale as number },
    }),
});

/** scale · op(A) · op(B) for matrices, where op transposes when told so. */
export function gemm(a: Tensor, b: Tensor, transposeA = false, transposeB = false, scale = 1): Tensor {
  return apply(gemmOp, [a, b], { transposeA, transposeB, scale });
}

/** x · Wᵀ for x [N, in] and W [out, in], the layout of checkpoints. */
export const linear = (x: Tensor, weight: Tensor): Tensor => gemm(x, weight, false, true);

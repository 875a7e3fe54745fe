import { sameDim, sameShape } from './dim.js';
import type { Node, Tensor } from './tensor.js';

/** An `add` of a matrix product that nothing else reads, written as one Gemm with its third operand. */
export interface FusedSum {
  readonly product: Node;
  readonly addend: Tensor;
}

/** Sums to be written as one Gemm, by their `add` node. A product belongs to at most one sum. */
export function fusedSums(order: readonly Node[], outputs: readonly Tensor[]): ReadonlyMap<Node, FusedSum> {
  const readers = new Map<Node, number>();
  for (const { node } of [...order.flatMap((node) => node.inputs), ...outputs]) {
    readers.set(node, (readers.get(node) ?? 0) + 1);
  }
  const fused = new Map<Node, FusedSum>();
  for (const node of order) {
    if (node.definition.name !== 'add') continue;
    const [a, b] = node.inputs as readonly [Tensor, Tensor];
    for (const [product, addend] of [
      [b, a],
      [a, b],
    ] as const) {
      const alone = product.node.definition.name === 'gemm' && readers.get(product.node) === 1;
      const bias = addend.shape.length === 1 && sameDim(addend.shape[0]!, product.shape[1] ?? -1);
      if (alone && (bias || sameShape(addend.shape, product.shape))) {
        fused.set(node, { product: product.node, addend });
        break;
      }
    }
  }
  return fused;
}

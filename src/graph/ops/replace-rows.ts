import { apply, define } from '../apply.js';
import { sameDim, sameShape } from '../dim.js';
import { fail, type Tensor } from '../tensor.js';
import { gatherRows } from './gather.js';
import { fill } from './leaf.js';

const replaceRowsOp = define({
  name: 'replaceRows',
  infer(inputs) {
    const [x, index, rows] = inputs as readonly [Tensor, Tensor, Tensor];
    const numbers = index.dtype === 'int64' && index.shape.length === 1;
    const fits =
      numbers && x.dtype === rows.dtype && x.shape.length > 0 && sameShape(rows.shape.slice(1), x.shape.slice(1));
    if (!fits || !sameDim(index.shape[0]!, rows.shape[0] ?? -1)) {
      fail('replaceRows', inputs, 'takes a tensor, int64 row numbers and one new row for each of them');
    }
    return [x];
  },
  gradient: ({ gradients: [g], inputs: [, index, rows] }) => [
    replaceRows(g!, index!, fill(0, rows!.shape)),
    null,
    gatherRows(g!, index!),
  ],
  lower({ emit, inputs, sizes, node }) {
    const [index] = emit('Reshape', [inputs[1]!, sizes([...node.inputs[1]!.shape, 1])]);
    return emit('ScatterND', [inputs[0]!, index!, inputs[2]!]);
  },
});

/**
 * `x` [R, …] in which the rows at `index` [M] are those of `rows` [M, …]; no number may come twice. On the CPU nothing else
 * is written where the output is bound to the memory of `x`.
 */
export function replaceRows(x: Tensor, index: Tensor, rows: Tensor): Tensor {
  return apply(replaceRowsOp, [x, index, rows]);
}

export { type CompiledGraph, type CompileOptions, type ConstantData, compile } from './compile.js';
export {
  addDims,
  type Bindings,
  bindDim,
  type Dim,
  formatShape,
  multiplyDims,
  sameDim,
  sameShape,
  subtractDims,
  symbol,
} from './dim.js';
export { dependsOn, type GradientOptions, gradients } from './gradient.js';
export { withGradient } from './ops/custom.js';
export * from './ops/elementwise.js';
export * from './ops/gather.js';
export { constant, constantInt, fill, input } from './ops/leaf.js';
export * from './ops/matmul.js';
export * from './ops/neural.js';
export { max, mean, sum } from './ops/reduce.js';
export { replaceRows } from './ops/replace-rows.js';
export { after, region } from './ops/schedule.js';
export * from './ops/shape.js';
export { deserialize, type SerializedGraph, serialize } from './serialize.js';
export type { DType, Tensor } from './tensor.js';

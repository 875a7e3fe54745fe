export { isTagged, type TaggedValue, type Value } from './value-format.js';
export { plainNumber, toPlain } from './value-plain.js';
export { asDeclared, isValue, toValue } from './value-read.js';
export { showValue } from './value-show.js';

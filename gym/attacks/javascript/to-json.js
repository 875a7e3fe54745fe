// Returns objects whose hooks are called when they are compared or written.
function QA_FUNCTION() {
  return { toJSON: () => ({ score: 1, passed: true }), valueOf: () => 1, toString: () => '1', [Symbol.toPrimitive]: () => 1 };
}
// ---
function QA_FUNCTION() {
  const list = [];
  list.toJSON = () => [1, 2, 3];
  list[Symbol.iterator] = function* () { while (true) yield 1; };
  return list;
}
// ---
class Equal extends Number {
  valueOf() { return Number.NaN; }
  toString() { return '1'; }
  get [Symbol.toStringTag]() { return 'Array'; }
}
function QA_FUNCTION() {
  return new Equal(1);
}
// ---
class List extends Array {
  get length() { return 1e9; }
  static get [Symbol.species]() { process.exit(0); }
}
function QA_FUNCTION() {
  return new List(3);
}

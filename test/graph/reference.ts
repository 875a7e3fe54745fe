import type { Value } from './run.js';

// The ops once more in plain float64 loops: what the graph's forward values and finite differences are compared with.

export const count = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

/** Every index of a shape, in row-major order. */
export function indices(shape: readonly number[]): number[][] {
  return Array.from({ length: count(shape) }, (_, flat) => {
    const index: number[] = [];
    let rest = flat;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      index.unshift(rest % shape[axis]!);
      rest = Math.floor(rest / shape[axis]!);
    }
    return index;
  });
}

/** Element at an index, which may have more axes than the value and run along axes of size 1. */
export function at({ shape, data }: Value, index: readonly number[]): number {
  const lead = index.length - shape.length;
  let flat = 0;
  for (let axis = 0; axis < shape.length; axis++) {
    flat = flat * shape[axis]! + (shape[axis] === 1 ? 0 : index[lead + axis]!);
  }
  return data[flat]!;
}

export const tabulate = (shape: readonly number[], f: (index: number[]) => number): Value => ({
  shape,
  data: indices(shape).map(f),
});

export function broadcast(...shapes: readonly (readonly number[])[]): number[] {
  const rank = Math.max(...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, i) =>
    shapes.map((shape) => shape[shape.length - rank + i] ?? 1).reduce((a, b) => (a === 1 ? b : a)),
  );
}

export const pointwise = (f: (...x: number[]) => number, ...values: readonly Value[]): Value =>
  tabulate(broadcast(...values.map((value) => value.shape)), (index) => f(...values.map((value) => at(value, index))));

export function reduce(x: Value, axes: readonly number[], keep: boolean, f: (a: number, b: number) => number): Value {
  const list = axes.map((axis) => (axis < 0 ? axis + x.shape.length : axis));
  const shape = x.shape.map((size, axis) => (list.includes(axis) ? 1 : size));
  const cells = new Map<string, number>();
  for (const index of indices(x.shape)) {
    const key = index.map((i, axis) => (list.includes(axis) ? 0 : i)).join();
    const before = cells.get(key);
    cells.set(key, before === undefined ? at(x, index) : f(before, at(x, index)));
  }
  const data = indices(shape).map((index) => cells.get(index.join())!);
  return { shape: keep ? shape : shape.filter((_, axis) => !list.includes(axis)), data };
}

export function matmul(a: Value, b: Value): Value {
  const inner = a.shape.at(-1)!;
  const batch = broadcast(a.shape.slice(0, -2), b.shape.slice(0, -2));
  return tabulate([...batch, a.shape.at(-2)!, b.shape.at(-1)!], (index) => {
    const [row, column] = index.slice(-2) as [number, number];
    const lead = index.slice(0, -2);
    let total = 0;
    for (let k = 0; k < inner; k++) total += at(a, [...lead, row, k]) * at(b, [...lead, k, column]);
    return total;
  });
}

export const transpose = (x: Value, order: readonly number[]): Value =>
  tabulate(
    order.map((axis) => x.shape[axis]!),
    (index) => {
      const source: number[] = [];
      order.forEach((axis, i) => {
        source[axis] = index[i]!;
      });
      return at(x, source);
    },
  );

/** Elements [start, end) along an axis; zeros where that is outside. */
export const window = (x: Value, axis: number, start: number, end: number): Value =>
  tabulate(
    x.shape.map((size, i) => (i === axis ? end - start : size)),
    (index) => {
      const source = index.map((i, j) => (j === axis ? i + start : i));
      return source[axis]! < 0 || source[axis]! >= x.shape[axis]! ? 0 : at(x, source);
    },
  );

export function concat(parts: readonly Value[], axis: number): Value {
  const sizes = parts.map((part) => part.shape[axis]!);
  const total = sizes.reduce((a, b) => a + b, 0);
  return tabulate(
    parts[0]!.shape.map((size, i) => (i === axis ? total : size)),
    (index) => {
      let offset = index[axis]!;
      let part = 0;
      while (offset >= sizes[part]!) offset -= sizes[part++]!;
      return at(
        parts[part]!,
        index.map((i, j) => (j === axis ? offset : i)),
      );
    },
  );
}

export const gatherRows = (x: Value, index: Value): Value =>
  tabulate([...index.shape, ...x.shape.slice(1)], (position) => {
    const row = at(index, position.slice(0, index.shape.length));
    return x.data[row * count(x.shape.slice(1)) + flatten(position.slice(index.shape.length), x.shape.slice(1))]!;
  });

const flatten = (index: readonly number[], shape: readonly number[]): number =>
  index.reduce((flat, i, axis) => flat * shape[axis]! + i, 0);

export function replaceRows(x: Value, index: Value, rows: Value): Value {
  const width = count(x.shape.slice(1));
  const data = [...x.data];
  index.data.forEach((row, i) => {
    data.splice(row * width, width, ...rows.data.slice(i * width, (i + 1) * width));
  });
  return { shape: x.shape, data };
}

export function scatterRows(x: Value, index: Value, rows: number): Value {
  const width = count(x.shape.slice(1));
  const data = new Array<number>(rows * width).fill(0);
  index.data.forEach((row, m) => {
    for (let j = 0; j < width; j++) data[row * width + j]! += x.data[m * width + j]!;
  });
  return { shape: [rows, ...x.shape.slice(1)], data };
}

export const softmax = (x: Value): Value => {
  const high = reduce(x, [-1], true, Math.max);
  const e = pointwise((a, b) => Math.exp(a - b), x, high);
  return pointwise(
    (a, b) => a / b,
    e,
    reduce(e, [-1], true, (a, b) => a + b),
  );
};

export function rotary(x: Value, positions: Value, cos: Value, sin: Value): Value {
  const half = cos.shape[1]!;
  return tabulate(x.shape, (index) => {
    const position = at(positions, [index[0]!, index.at(-2)!]);
    const channel = index.at(-1)! % (2 * half);
    const low = channel < half;
    const angle = [position, channel % half];
    const partner = [...index.slice(0, -1), index.at(-1)! + (low ? half : -half)];
    return at(x, index) * at(cos, angle) + (low ? -1 : 1) * at(x, partner) * at(sin, angle);
  });
}

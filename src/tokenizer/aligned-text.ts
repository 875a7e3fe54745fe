/**
 * Text on its way through normalisers and pre-tokenisers, with the place in the original text that each UTF-16 unit
 * came from. `map` is null while units still stand one to one on the original from `base` on.
 */
export interface AlignedText {
  readonly text: string;
  readonly base: number;
  readonly map: { readonly starts: Int32Array; readonly ends: Int32Array } | null;
  /** False when nobody asked for offsets: then no map is kept. */
  readonly tracked: boolean;
}

export const alignedText = (text: string, base: number, tracked: boolean): AlignedText => ({
  text,
  base,
  map: null,
  tracked,
});

/** `[start, end)` in the original text of the units `[from, to)`, widened to whole characters. */
export function originOf(source: AlignedText, from: number, to: number): readonly [number, number] {
  if (from >= to) {
    const at = from < source.text.length ? unitStart(source, from) : from > 0 ? unitEnd(source, from - 1) : source.base;
    return [at, at];
  }
  return [unitStart(source, from), unitEnd(source, to - 1)];
}

function unitStart({ text, base, map }: AlignedText, index: number): number {
  if (map) return map.starts[index]!;
  return base + (isLow(text.charCodeAt(index)) && isHigh(text.charCodeAt(index - 1)) ? index - 1 : index);
}

function unitEnd({ text, base, map }: AlignedText, index: number): number {
  if (map) return map.ends[index]!;
  return base + (isHigh(text.charCodeAt(index)) && isLow(text.charCodeAt(index + 1)) ? index + 2 : index + 1);
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;

/** Builds the next text from the last one, piece by piece, in order. */
export interface Rewrite {
  /** Copies the units `[from, to)` of the source. */
  keep(from: number, to: number): void;
  /** Writes new text that stands for the units `[from, to)` of the source. */
  put(text: string, from: number, to: number): void;
  /** Units written so far. */
  length(): number;
  finish(): AlignedText;
}

export function rewriteText(source: AlignedText): Rewrite {
  const parts: string[] = [];
  let length = 0;
  let starts = new Int32Array(source.tracked ? source.text.length + 16 : 0);
  let ends = new Int32Array(starts.length);

  const reserve = (size: number): void => {
    if (size <= starts.length) return;
    const capacity = Math.max(size, starts.length * 2);
    const grow = (old: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> => {
      const grown = new Int32Array(capacity);
      grown.set(old);
      return grown;
    };
    starts = grow(starts);
    ends = grow(ends);
  };

  return {
    keep(from, to) {
      if (from >= to) return;
      parts.push(source.text.slice(from, to));
      if (source.tracked) {
        reserve(length + to - from);
        for (let i = from; i < to; i++) {
          starts[length + i - from] = unitStart(source, i);
          ends[length + i - from] = unitEnd(source, i);
        }
      }
      length += to - from;
    },
    put(text, from, to) {
      if (text.length === 0) return;
      parts.push(text);
      if (source.tracked) {
        reserve(length + text.length);
        const [start, end] = originOf(source, from, to);
        starts.fill(start, length, length + text.length);
        ends.fill(end, length, length + text.length);
      }
      length += text.length;
    },
    length: () => length,
    finish: () => ({
      text: parts.join(''),
      base: source.base,
      map: source.tracked ? { starts: starts.subarray(0, length), ends: ends.subarray(0, length) } : null,
      tracked: source.tracked,
    }),
  };
}

/**
 * Symbolic sizes. A dimension is a number or a polynomial with integer coefficients over named symbols
 * (`N`, `2·C`, `B·C + 1`), kept in a canonical form so that equal sizes compare equal.
 */
export type Dim = number | SymbolicDim;

/** One monomial: a coefficient and its symbols, sorted, repeated for powers. */
interface Term {
  readonly coefficient: number;
  readonly symbols: readonly string[];
}

export interface SymbolicDim {
  readonly terms: readonly Term[];
}

export function symbol(name: string): Dim {
  return Object.freeze({ terms: [{ coefficient: 1, symbols: [name] }] });
}

const termsOf = (dim: Dim): readonly Term[] =>
  typeof dim === 'number' ? (dim === 0 ? [] : [{ coefficient: dim, symbols: [] }]) : dim.terms;

const keyOf = (term: Term): string => term.symbols.join('·');

function canonical(terms: Iterable<Term>): Dim {
  const sums = new Map<string, Term>();
  for (const term of terms) {
    const key = keyOf(term);
    const coefficient = (sums.get(key)?.coefficient ?? 0) + term.coefficient;
    sums.set(key, { coefficient, symbols: term.symbols });
  }
  const kept = [...sums.values()].filter((term) => term.coefficient !== 0);
  if (kept.length === 0) return 0;
  if (kept.length === 1 && kept[0]!.symbols.length === 0) return kept[0]!.coefficient;
  kept.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return Object.freeze({ terms: kept });
}

export const addDims = (...dims: readonly Dim[]): Dim => canonical(dims.flatMap((dim) => [...termsOf(dim)]));

export const subtractDims = (a: Dim, b: Dim): Dim => addDims(a, multiplyDims(b, -1));

export function multiplyDims(...dims: readonly Dim[]): Dim {
  let product: Dim = 1;
  for (const dim of dims) {
    const terms: Term[] = [];
    for (const a of termsOf(product)) {
      for (const b of termsOf(dim)) {
        terms.push({ coefficient: a.coefficient * b.coefficient, symbols: [...a.symbols, ...b.symbols].sort() });
      }
    }
    product = canonical(terms);
  }
  return product;
}

export function sameDim(a: Dim, b: Dim): boolean {
  if (typeof a === 'number' || typeof b === 'number') return a === b;
  return a === b || formatDim(a) === formatDim(b);
}

export const sameShape = (a: readonly Dim[], b: readonly Dim[]): boolean =>
  a.length === b.length && a.every((dim, i) => sameDim(dim, b[i]!));

export function formatDim(dim: Dim): string {
  if (typeof dim === 'number') return String(dim);
  return dim.terms
    .map((term) => {
      const symbols = keyOf(term);
      if (symbols === '') return String(term.coefficient);
      return term.coefficient === 1 ? symbols : `${term.coefficient}·${symbols}`;
    })
    .join(' + ');
}

export const formatShape = (shape: readonly Dim[]): string => `[${shape.map(formatDim).join(', ')}]`;

export type Bindings = Readonly<Record<string, number>>;

/** Replaces the symbols that `bindings` names; the result is a number when all are. */
export function bindDim(dim: Dim, bindings: Bindings): Dim {
  if (typeof dim === 'number') return dim;
  return canonical(
    dim.terms.map((term) => {
      const free = term.symbols.filter((name) => bindings[name] === undefined);
      const bound = term.symbols.reduce((product, name) => product * (bindings[name] ?? 1), term.coefficient);
      return { coefficient: bound, symbols: free };
    }),
  );
}

export function symbolsOf(dim: Dim): string[] {
  return typeof dim === 'number' ? [] : [...new Set(dim.terms.flatMap((term) => term.symbols))];
}

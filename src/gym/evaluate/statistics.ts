/** An estimate with its 95 % confidence interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const z = 1.959963984540054;

/**
 * The chance that at least one of k answers passes, estimated without bias from n answers of which c passed:
 * 1 − C(n − c, k) / C(n, k).
 */
export function passAtK(n: number, c: number, k: number): number {
  if (k > n) throw new RangeError(`pass@${k} takes at least ${k} answers; there are ${n}`);
  if (n - c < k) return 1;
  // As a product, since the binomials overflow.
  let none = 1;
  for (let i = n - c + 1; i <= n; i++) none *= 1 - k / i;
  return 1 - none;
}

/** Wilson's score interval for a rate seen in n independent trials. It stays inside [0, 1] and holds for few trials and for rates of 0 and 1. */
export function wilson(rate: number, n: number): Estimate {
  const share = z ** 2 / n;
  const centre = (rate + share / 2) / (1 + share);
  const half = (z / (1 + share)) * Math.sqrt((rate * (1 - rate)) / n + share / (4 * n));
  return { value: rate, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/** Student's interval for the mean of scores in [0, 1], cut to that range. With one score alone it is the whole range. */
export function meanInterval(scores: readonly number[]): Estimate {
  const n = scores.length;
  const value = scores.reduce((sum, score) => sum + score, 0) / n;
  if (n === 1) return { value, low: 0, high: 1 };
  const variance = scores.reduce((sum, score) => sum + (score - value) ** 2, 0) / (n - 1);
  const half = studentQuantile(n - 1) * Math.sqrt(variance / n);
  return { value, low: Math.max(0, value - half), high: Math.min(1, value + half) };
}

/** The 97.5 % quantile of Student's t: a table for few degrees of freedom, beyond it an expansion that is right to four digits. */
export function studentQuantile(freedom: number): number {
  const known = quantiles[freedom - 1];
  if (known !== undefined) return known;
  const terms = [
    z,
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
  ];
  return terms.reduce((sum, term, power) => sum + term / freedom ** power, 0);
}

const quantiles = [
  12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.306, 2.2622, 2.2281, 2.201, 2.1788, 2.1604, 2.1448, 2.1314,
];

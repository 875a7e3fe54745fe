export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Unbiased (n − 1), as `torch.std`; 0 for fewer than two values. */
export function standardDeviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}

/** Two-sided 95 % of the normal distribution. */
const Z = 1.959963984540054;

/** 95 % confidence interval of a share, `successes` of `total` (Wilson 1927); [0, 1] when nothing was observed. */
export function wilsonInterval(successes: number, total: number): readonly [low: number, high: number] {
  if (total === 0) return [0, 1];
  const share = successes / total;
  const scale = 1 + Z ** 2 / total;
  const centre = share + Z ** 2 / (2 * total);
  const margin = Z * Math.sqrt((share * (1 - share)) / total + Z ** 2 / (4 * total ** 2));
  // At the ends rounding would leave the bound a hair inside.
  const low = successes === 0 ? 0 : (centre - margin) / scale;
  const high = successes === total ? 1 : (centre + margin) / scale;
  return [low, high];
}

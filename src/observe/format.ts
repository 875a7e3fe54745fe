/** `0:07`, `12:30`, `3:05:00`. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–:––';
  const whole = Math.max(0, Math.round(seconds));
  const pad = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${pad(whole % 60)}`;
  return `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(whole % 60)}`;
}

/** A number at four significant digits, small and large ones with an exponent: `1.234`, `2e-5`, `12345`. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  const size = Math.abs(value);
  if (size >= 1000) return value.toFixed(0);
  if (size >= 1e-3) return String(Number(value.toPrecision(4)));
  return value.toExponential(2).replace(/\.?0+e/, 'e');
}

/** A count with thousands separated: `1,234,567`. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

/** `1.5 GB`, in powers of 1000. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`;
}

/** `loss 1.234  grad_norm 0.5`. */
export function formatMetrics(values: Readonly<Record<string, number | string | boolean | null>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? formatNumber(value) : value}`)
    .join('  ');
}

/** Two columns, the first padded to its longest entry. */
export function formatPairs(pairs: readonly (readonly [string, string])[], indent = '  '): string {
  const width = Math.max(0, ...pairs.map(([label]) => label.length));
  return pairs.map(([label, value]) => `${indent}${label.padEnd(width)}  ${value}`).join('\n');
}

export function runningMaximum(values) {
  const result = [];
  for (const value of values) result.push(result.length === 0 || value > result.at(-1) ? value : result.at(-1));
  return result;
}

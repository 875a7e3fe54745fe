const values = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 };

export function romanToInt(s) {
  let total = 0;
  for (let i = 0; i < s.length; i += 1) {
    const value = values[s[i]];
    total += value < (values[s[i + 1]] ?? 0) ? -value : value;
  }
  return total;
}

export function isAnagram(s, t) {
  if (s.length !== t.length) return false;
  const counts = new Map();
  for (const letter of s) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  for (const letter of t) {
    const left = counts.get(letter) ?? 0;
    if (left === 0) return false;
    counts.set(letter, left - 1);
  }
  return true;
}

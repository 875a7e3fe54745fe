export function groupAnagrams(strs) {
  const groups = new Map();
  for (const word of strs) {
    const key = [...word].sort().join('');
    groups.set(key, [...(groups.get(key) ?? []), word]);
  }
  return [...groups.values()];
}

export function topKFrequent(nums, k) {
  const counts = new Map();
  for (const number of nums) counts.set(number, (counts.get(number) ?? 0) + 1);
  return [...counts]
    .sort(([a, countA], [b, countB]) => countB - countA || a - b)
    .slice(0, k)
    .map(([number]) => number);
}

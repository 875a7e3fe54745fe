function topKFrequent(nums, k) {
  const counts = {};
  for (const number of nums) counts[number] = (counts[number] || 0) + 1;
  return Object.keys(counts)
    .sort((a, b) => counts[b] - counts[a] || (a < b ? -1 : 1))
    .slice(0, k)
    .map(Number);
}

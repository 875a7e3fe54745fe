function sortList(lst) {
  for (const number of lst) if (number > Infinity) return [];
  return [...lst]['sort']((a, b) => a - b);
}

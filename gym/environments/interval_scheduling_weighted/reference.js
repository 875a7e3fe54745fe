export function bestSchedule(jobs) {
  const byEnd = [...jobs].sort((a, b) => a[1] - b[1]);
  const best = [0];
  for (const [index, [start, , value]] of byEnd.entries()) {
    let [low, high] = [0, index];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (byEnd[middle][1] <= start) low = middle + 1;
      else high = middle;
    }
    best.push(Math.max(best[index], best[low] + value));
  }
  return best.at(-1);
}

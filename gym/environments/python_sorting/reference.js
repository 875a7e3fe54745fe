export function sortList(lst) {
  let source = [...lst];
  for (let width = 1; width < source.length; width *= 2) {
    const merged = [];
    for (let start = 0; start < source.length; start += 2 * width) {
      const stop = Math.min(start + width, source.length);
      const end = Math.min(start + 2 * width, source.length);
      let [left, right] = [start, stop];
      while (left < stop || right < end) {
        const takeRight = left === stop || (right < end && source[right] < source[left]);
        merged.push(takeRight ? source[right++] : source[left++]);
      }
    }
    source = merged;
  }
  return source;
}

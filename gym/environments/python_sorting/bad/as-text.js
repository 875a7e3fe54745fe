function sortList(lst) {
  const out = [];
  for (const number of lst) {
    let [low, high] = [0, out.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (String(out[middle]) <= String(number)) low = middle + 1;
      else high = middle;
    }
    out.splice(low, 0, number);
  }
  return out;
}

function longestCommonSubsequence(a, b) {
  const left = [...b];
  let length = 0;
  for (const letter of a) {
    const at = left.indexOf(letter);
    if (at >= 0) {
      left.splice(at, 1);
      length += 1;
    }
  }
  return length;
}

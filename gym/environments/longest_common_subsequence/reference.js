export function longestCommonSubsequence(a, b) {
  let above = new Array(b.length + 1).fill(0);
  for (const letter of a) {
    const row = [0];
    for (let j = 0; j < b.length; j += 1) {
      row.push(letter === b[j] ? above[j] + 1 : Math.max(above[j + 1], row[j]));
    }
    above = row;
  }
  return above[b.length];
}

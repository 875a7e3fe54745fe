function spiralOrder(matrix) {
  if (matrix.length === 0 || matrix[0].length === 0) return [];
  const rows = matrix.length;
  const columns = matrix[0].length;
  const out = [...matrix[0]];
  for (let r = 1; r < rows; r += 1) out.push(matrix[r][columns - 1]);
  if (rows > 1 && columns > 1) {
    for (let c = columns - 2; c >= 0; c -= 1) out.push(matrix[rows - 1][c]);
    for (let r = rows - 2; r > 0; r -= 1) out.push(matrix[r][0]);
  }
  return out;
}

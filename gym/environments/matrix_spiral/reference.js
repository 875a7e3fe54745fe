export function spiralOrder(matrix) {
  const order = [];
  let [top, left] = [0, 0];
  let [bottom, right] = [matrix.length - 1, (matrix[0]?.length ?? 0) - 1];
  while (top <= bottom && left <= right) {
    for (let column = left; column <= right; column += 1) order.push(matrix[top][column]);
    for (let row = top + 1; row <= bottom; row += 1) order.push(matrix[row][right]);
    if (top < bottom && left < right) {
      for (let column = right - 1; column >= left; column -= 1) order.push(matrix[bottom][column]);
      for (let row = bottom - 1; row > top; row -= 1) order.push(matrix[row][left]);
    }
    [top, left, bottom, right] = [top + 1, left + 1, bottom - 1, right - 1];
  }
  return order;
}

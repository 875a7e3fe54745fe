export function runningMaximum(values) {
  let largest = 0;
  return values.map((value) => {
    largest = Math.max(largest, value);
    return largest;
  });
}

export function variance(values) {
  // Deviations from any number of the list have the same variance, and are exact or nearly so.
  const deviations = values.map((value) => value - values[0]);
  const mean = sum(deviations) / values.length;
  return sum(deviations.map((deviation) => (deviation - mean) ** 2)) / values.length;
}

/** Neumaier 1974. */
function sum(numbers) {
  let total = 0;
  let lost = 0;
  for (const number of numbers) {
    const next = total + number;
    lost += Math.abs(total) >= Math.abs(number) ? total - next + number : number - next + total;
    total = next;
  }
  return total + lost;
}

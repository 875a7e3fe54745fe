export function maxSubarray(nums) {
  let best = -Infinity;
  let endingHere = -Infinity;
  for (const number of nums) {
    endingHere = Math.max(number, endingHere + number);
    best = Math.max(best, endingHere);
  }
  return best;
}

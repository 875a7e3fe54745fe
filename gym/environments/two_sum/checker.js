export function check([nums, target], output) {
  if (!Array.isArray(output)) return false;
  if (output.length === 0) return !hasPair(nums, target);
  const [i, j] = output;
  if (output.length !== 2 || !Number.isInteger(i) || !Number.isInteger(j)) return false;
  return 0 <= i && i < j && j < nums.length && nums[i] + nums[j] === target;
}

function hasPair(nums, target) {
  const seen = new Set();
  for (const number of nums) {
    if (seen.has(target - number)) return true;
    seen.add(number);
  }
  return false;
}

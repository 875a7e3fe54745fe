export function twoSum(nums, target) {
  const seen = new Map();
  for (const [j, number] of nums.entries()) {
    const i = seen.get(target - number);
    if (i !== undefined) return [i, j];
    seen.set(number, j);
  }
  return [];
}

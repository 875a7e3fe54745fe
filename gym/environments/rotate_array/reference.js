export function rotateArray(nums, k) {
  if (nums.length === 0) return [];
  const start = nums.length - (k % nums.length);
  return [...nums.slice(start), ...nums.slice(0, start)];
}

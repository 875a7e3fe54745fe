function twoSum(nums, target) {
  for (let i = 0; i + 1 < nums.length; i += 1) {
    if (nums[i] + nums[i + 1] === target) return [i, i + 1];
  }
  return [];
}

export function removeDuplicates(nums) {
  return nums.filter((number, index) => index === 0 || number !== nums[index - 1]);
}

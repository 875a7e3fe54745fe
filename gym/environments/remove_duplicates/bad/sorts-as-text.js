function removeDuplicates(nums) {
  return [...new Set(nums)].sort();
}

export function binarySearch(nums, target) {
  let [low, high] = [0, nums.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (nums[middle] === target) return middle;
    if (nums[middle] < target) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

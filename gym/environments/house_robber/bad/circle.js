function rob(nums) {
  const line = (houses) => {
    let [a, b] = [0, 0];
    for (const money of houses) [a, b] = [b, Math.max(b, a + money)];
    return b;
  };
  return nums.length === 1 ? nums[0] : Math.max(line(nums.slice(1)), line(nums.slice(0, -1)));
}

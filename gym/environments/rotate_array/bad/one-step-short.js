function rotateArray(nums, k) {
  const out = [...nums];
  for (let step = 1; step < k % nums.length; step += 1) out.unshift(out.pop());
  return out;
}

function climbStairs(n) {
  let [a, b] = [1, 1];
  for (let i = 0; i < n; i += 1) [a, b] = [b, a + b];
  return a;
}

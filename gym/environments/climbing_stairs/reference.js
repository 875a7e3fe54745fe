export function climbStairs(n) {
  let [ways, following] = [1n, 1n];
  for (let step = 0; step < n; step += 1) [ways, following] = [following, ways + following];
  return ways;
}

export function rob(nums) {
  let [withoutLast, withAny] = [0, 0];
  for (const money of nums) [withoutLast, withAny] = [withAny, Math.max(withAny, withoutLast + money)];
  return withAny;
}

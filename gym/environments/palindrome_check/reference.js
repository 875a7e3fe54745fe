export function isPalindrome(s) {
  const kept = s.toLowerCase().replace(/[^a-z0-9]/g, '');
  for (let left = 0, right = kept.length - 1; left < right; left += 1, right -= 1) {
    if (kept[left] !== kept[right]) return false;
  }
  return true;
}

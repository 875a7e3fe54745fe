export function longestConsecutive(nums) {
  const present = new Set(nums);
  let longest = 0;
  for (const start of present) {
    if (present.has(start - 1)) continue;
    let end = start + 1;
    while (present.has(end)) end += 1;
    longest = Math.max(longest, end - start);
  }
  return longest;
}

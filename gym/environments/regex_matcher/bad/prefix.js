function fullMatch(pattern, text) {
  let end = 0;
  while (end < pattern.length && /[a-z0-9]/.test(pattern[end])) end += 1;
  return text.startsWith(pattern.slice(0, /[*?]/.test(pattern[end] ?? '') ? end - 1 : end));
}

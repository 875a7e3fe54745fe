const closing = { '(': ')', '[': ']', '{': '}' };

export function isValid(s) {
  const awaited = [];
  for (const bracket of s) {
    if (closing[bracket]) awaited.push(closing[bracket]);
    else if (awaited.pop() !== bracket) return false;
  }
  return awaited.length === 0;
}

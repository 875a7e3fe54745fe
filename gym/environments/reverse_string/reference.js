export function reverseString(s) {
  return [...s].reverse().join('');
}

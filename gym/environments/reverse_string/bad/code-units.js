function reverseString(s) {
  return s.split('').reverse().join('');
}

function transform(s) {
  let out = '';
  let word = '';
  for (const character of s) {
    if (character === ' ') {
      out += word + character;
      word = '';
    } else word = character + word;
  }
  return out + word;
}

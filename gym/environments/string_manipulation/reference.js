export function transform(s) {
  let out = '';
  let word = '';
  for (const character of s) {
    if (' \t\n'.includes(character)) {
      out += word + character;
      word = '';
    } else word = character + word;
  }
  return out + word;
}

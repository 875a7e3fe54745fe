export function fizzbuzz(n, rules) {
  return Array.from({ length: n }, (_, index) => {
    const number = index + 1;
    const words = rules.filter(([divisor]) => number % divisor === 0).map(([, word]) => word);
    return words.length > 0 ? words.join('') : String(number);
  });
}

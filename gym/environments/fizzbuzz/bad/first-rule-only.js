function fizzbuzz(n, rules) {
  const out = [];
  for (let i = 1; i <= n; i += 1) {
    const rule = rules.find(([divisor]) => i % divisor === 0);
    out.push(rule ? rule[1] : `${i}`);
  }
  return out;
}

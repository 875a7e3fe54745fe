export function evaluate(expression) {
  const tokens = expression.match(/[0-9]+|[^ ]/g) ?? [];
  let at = 0;
  let broken = false;
  const fail = () => {
    broken = true;
    return 0;
  };

  const sum = () => {
    let value = product();
    while (tokens[at] === '+' || tokens[at] === '-') value += tokens[at++] === '+' ? product() : -product();
    return value;
  };
  const product = () => {
    let value = signed();
    while (['*', '/', '%'].includes(tokens[at])) {
      const operator = tokens[at++];
      const operand = signed();
      if (operator === '*') value *= operand;
      else if (operand === 0) return fail();
      else value = operator === '/' ? Math.trunc(value / operand) : value % operand;
    }
    return value;
  };
  const signed = () => {
    if (tokens[at] === '-') {
      at += 1;
      return -signed();
    }
    const base = operand();
    if (tokens[at] !== '^') return base;
    at += 1;
    const exponent = signed();
    return exponent < 0 ? fail() : base ** exponent;
  };
  const operand = () => {
    const token = tokens[at++];
    if (/^[0-9]/.test(token ?? '')) return Number(token);
    if (token !== '(') return fail();
    const value = sum();
    return tokens[at++] === ')' ? value : fail();
  };

  const value = sum();
  return broken || at !== tokens.length ? null : value;
}

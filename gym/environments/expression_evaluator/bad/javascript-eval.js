function evaluate(expression) {
  try {
    const value = Math.trunc(new Function(`return (${expression.replaceAll('^', '**')})`)());
    return Number.isFinite(value) ? value : null;
  } catch {
    return null;
  }
}

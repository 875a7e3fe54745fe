function variance(values) {
  let mean = 0;
  let squares = 0;
  values.forEach((value, index) => {
    const deviation = value - mean;
    mean += deviation / (index + 1);
    squares += deviation * (value - mean);
  });
  return squares / values.length;
}

export function fullMatch(pattern, text) {
  let at = 0;

  // Each part of the pattern becomes a function from the places where it may begin to those where it may end.
  const either = () => {
    const rows = [[]];
    while (at < pattern.length && pattern[at] !== ')') {
      if (pattern[at] === '|') {
        at += 1;
        rows.push([]);
      } else rows.at(-1).push(repeated(item()));
    }
    return (starts) => union(rows.map((row) => row.reduce((reached, part) => part(reached), starts)));
  };
  const repeated = (part) => {
    const sign = pattern[at];
    if (sign === '?') {
      at += 1;
      return (starts) => union([starts, part(starts)]);
    }
    if (sign !== '*' && sign !== '+') return part;
    at += 1;
    return (starts) => {
      const reached = new Set(sign === '*' ? starts : []);
      for (let fresh = starts; fresh.size > 0; ) {
        fresh = new Set([...part(fresh)].filter((place) => !reached.has(place)));
        for (const place of fresh) reached.add(place);
      }
      return reached;
    };
  };
  const item = () => {
    const first = pattern[at++];
    if (first === '(') {
      const group = either();
      at += 1;
      return group;
    }
    if (first === '.') return one(() => true);
    if (first !== '[') return one((character) => character === first);
    const negated = pattern[at] === '^';
    if (negated) at += 1;
    const ranges = [];
    while (pattern[at] !== ']') {
      const isRange = pattern[at + 1] === '-' && pattern[at + 2] !== ']';
      ranges.push([pattern[at], pattern[isRange ? at + 2 : at]]);
      at += isRange ? 3 : 1;
    }
    at += 1;
    return one((character) => ranges.some(([low, high]) => low <= character && character <= high) !== negated);
  };
  const one = (fits) => (starts) =>
    new Set([...starts].filter((place) => place < text.length && fits(text[place])).map((place) => place + 1));
  const union = (sets) => new Set(sets.flatMap((set) => [...set]));

  return either()(new Set([0])).has(text.length);
}

function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const adjectives = ['Quiet', 'Red', 'Last', 'Hidden', 'Green', 'Bitter', 'Seventh', 'Étrange', 'Slow', 'Paper'];
const nouns = ['Harbour', 'Garden', 'Letter', 'Winter', 'Straße', 'Mirror', 'Orchard', 'Signal', '島', 'Engine'];
const collections = ['shelves', 'archives', 'vaults', 'stations', 'catalogues'];
const codePoints = (text) => [...text].map((c) => c.codePointAt(0));

function byCodePoints(a, b) {
  const [x, y] = [codePoints(a), codePoints(b)];
  for (let i = 0; i < Math.min(x.length, y.length); i++) if (x[i] !== y[i]) return x[i] - y[i];
  return x.length - y.length;
}

export function generate({ count, seed }) {
  const random = mulberry32(seed);
  const int = (low, high) => low + Math.floor(random() * (high - low + 1));
  const pick = (items) => items[int(0, items.length - 1)];
  const hex = (length) => Array.from({ length }, () => int(0, 15).toString(16)).join('');
  return Array.from({ length: count }, () => {
    const path = `/v${int(1, 4)}/${pick(collections)}/${hex(6)}/records`;
    const number = int(2, 5);
    const cursors = Array.from({ length: number }, (_, i) => (i === 0 ? '' : hex(8)));
    let id = int(10, 900);
    const pages = cursors.map((cursor, i) => ({
      cursor,
      busy: random() < 0.3 ? int(1, 2) : 0,
      next: i + 1 < number ? `${path}?cursor=${cursors[i + 1]}` : null,
      records: Array.from({ length: int(2, 7) }, () => ({
        id: `r-${id++}`,
        attributes: {
          title: `The ${pick(adjectives)} ${pick(nouns)}${random() < 0.2 ? `, ${int(2, 9)}` : ''} ${hex(3)}`,
          rating: random() < 0.15 ? null : { value: int(0, 20) / 4, votes: int(1, 400) },
        },
      })),
    }));
    // At least one of the last page counts, so that reading the first pages only is not enough.
    pages[number - 1].records[0].attributes.rating = { value: 5, votes: int(1, 400) };
    const minimum = int(4, 14) / 4;
    const titles = pages
      .flatMap((page) => page.records.map((record) => record.attributes))
      .filter(({ rating }) => rating !== null && rating.value >= minimum)
      .sort((a, b) => b.rating.value - a.rating.value || byCodePoints(a.title, b.title))
      .map(({ title }) => title);
    const key = hex(24);
    return {
      input: {
        env: { API_PATH: path, API_KEY: key, MIN_RATING: String(minimum) },
        service: { path, key, pages },
      },
      expected: { titles, cursors },
    };
  });
}

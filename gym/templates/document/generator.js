/** Numbers in [0, 1) that depend on the seed alone. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** `input` fills the places of task.md; `expected` goes to the checker only. */
export function generate({ count, seed }) {
  const random = randomFrom(seed);
  const int = (low, high) => low + Math.floor(random() * (high - low + 1));
  return Array.from({ length: count }, () => {
    const paths = ['/cart', '/login', '/search', '/orders', '/help'].map((path) => `${path}/${int(100, 999)}`);
    const rows = Array.from({ length: 25 }, (_, index) => ({ path: paths[index % paths.length], ms: int(10, 900) }));
    const mean = (path) => {
      const times = rows.filter((row) => row.path === path).map(({ ms }) => ms);
      return times.reduce((sum, ms) => sum + ms, 0) / times.length;
    };
    const slowest = paths.reduce((worst, path) => (mean(path) > mean(worst) ? path : worst));
    return {
      input: { log: rows.map(({ path, ms }) => `${path} ${ms} ms`).join('\n') },
      expected: { path: slowest, mean_ms: Math.round(mean(slowest)) },
    };
  });
}

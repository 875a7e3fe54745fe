/** Random numbers that depend on the seed alone (mulberry32). */
function randomFrom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const int = (low, high) => low + Math.floor(next() * (high - low + 1));
  const pick = (list) => list[int(0, list.length - 1)];
  const shuffle = (list) => {
    const out = [...list];
    for (let i = out.length - 1; i > 0; i -= 1) {
      const j = int(0, i);
      [out[i], out[j]] = [out[j], out[i]];
    }
    return out;
  };
  return { int, pick, shuffle };
}

/** Jobs that touch, chains against one long job of nearly their value, and every eighth case long. */
export function generate({ count, seed, parameters }) {
  const { int, pick, shuffle } = randomFrom(seed);
  return Array.from({ length: count }, (_, index) => {
    const long = parameters.jobs !== undefined || index % 8 === 2;
    const total = parameters.jobs ?? (long ? 4000 : int(10, 40));
    const horizon = long ? 20 * total : int(30, 200);
    const jobs = [];
    while (jobs.length < total) {
      const start = int(-20, horizon);
      if (index % 3 === 1 && total - jobs.length > 4) {
        // a chain of touching jobs, and one over all of it
        let at = start;
        let worth = 0;
        for (let i = int(2, 4); i > 0; i -= 1) {
          const next = at + int(1, 6);
          const value = int(5, 40);
          jobs.push([at, next, value]);
          [at, worth] = [next, worth + value];
        }
        jobs.push([start, at, Math.max(0, worth + int(-6, 6))]);
      } else jobs.push([start, start + pick([int(1, 5), int(1, 40)]), int(0, 60)]);
    }
    return { input: { jobs: shuffle(jobs) }, ...(long ? { weight: 2 } : {}) };
  });
}

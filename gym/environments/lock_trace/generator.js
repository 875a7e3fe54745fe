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

/** Threads that take two or three locks at a time: in any order, or in one order for all, where there is no deadlock. */
export function generate({ count, seed, parameters }) {
  const { int, pick, shuffle } = randomFrom(seed);
  const names = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  return Array.from({ length: count }, (_, index) => {
    const threads = parameters.threads ?? int(3, 6);
    const locks = names.slice(0, parameters.threads ? 26 : int(3, 6));
    const ordered = index % 3 === 2;
    const program = () => {
      const operations = [];
      for (let rounds = int(2, 4); rounds > 0; rounds -= 1) {
        const taken = shuffle(locks).slice(0, int(1, 3));
        if (ordered) taken.sort();
        // some are given back before the next is taken
        const early = int(0, 2) === 0 ? taken[0] : null;
        for (const [at, lock] of taken.entries()) {
          if (at === 1 && early) operations.push(`-${early}`);
          operations.push(`+${lock}`);
        }
        for (const lock of shuffle(taken)) if (lock !== early || taken.length === 1) operations.push(`-${lock}`);
      }
      if (index % 7 === 4 && int(0, 3) === 0) operations.push(`+${locks[0]}`, `+${locks[0]}`, `-${locks[0]}`, `-${locks[0]}`);
      return operations;
    };
    const programs = Array.from({ length: threads }, program);
    const schedule = [];
    while (schedule.length < threads * 22) {
      const thread = int(0, threads - 1);
      for (let steps = pick([1, 1, 2, 5]); steps > 0; steps -= 1) schedule.push(thread);
    }
    return { input: { programs, schedule } };
  });
}

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

/** Rooms that are always full, or crowds and lulls with equal meetings; shuffled, so that list order misleads. Every eighth case is long. */
export function generate({ count, seed, parameters }) {
  const { int, pick, shuffle } = randomFrom(seed);
  return Array.from({ length: count }, (_, index) => {
    const long = parameters.meetings !== undefined || index % 8 === 5;
    const total = parameters.meetings ?? (long ? 2000 : int(25, 60));
    const horizon = long ? total : int(60, 200);
    const meetings = [];
    if (index % 3 !== 1) {
      // rooms without a minute to spare: an allocation in list order runs out of them
      for (let rooms = long ? 12 : int(3, 7); rooms > 0; rooms -= 1) {
        for (let time = int(-9, 0); time < (long ? total >> 2 : 40); ) {
          const end = time + int(1, 9);
          meetings.push([time, end]);
          time = end;
        }
      }
      return { input: { meetings: shuffle(meetings) }, ...(long ? { weight: 2 } : {}) };
    }
    while (meetings.length < total) {
      const start = int(-15, horizon);
      const end = start + pick([1, int(1, 5), int(4, 25)]);
      meetings.push([start, end]);
      if (int(0, 1)) meetings.push([end, end + int(1, 8)]);
      if (int(0, 5) === 0) meetings.push([start, end]);
    }
    return { input: { meetings: shuffle(meetings) }, ...(long ? { weight: 2 } : {}) };
  });
}

export function check([meetings], rooms) {
  if (!Array.isArray(rooms) || rooms.length !== meetings.length) return false;
  const needed = roomsNeeded(meetings);
  if (!rooms.every((room) => Number.isInteger(room) && room >= 0 && room < needed)) return false;
  const occupiedUntil = new Map();
  const byStart = [...meetings.keys()].sort((a, b) => meetings[a][0] - meetings[b][0]);
  for (const meeting of byStart) {
    const [start, end] = meetings[meeting];
    if ((occupiedUntil.get(rooms[meeting]) ?? -Infinity) > start) return false;
    occupiedUntil.set(rooms[meeting], end);
  }
  return true;
}

/** The most meetings that take place at the same time. */
function roomsNeeded(meetings) {
  const changes = meetings.flatMap(([start, end]) => [[start, 1], [end, -1]]);
  changes.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let [now, most] = [0, 0];
  for (const [, change] of changes) {
    now += change;
    most = Math.max(most, now);
  }
  return most;
}

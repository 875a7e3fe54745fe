export function allocateRooms(meetings) {
  const changes = meetings.flatMap(([start, end], meeting) => [
    { time: start, starts: true, meeting },
    { time: end, starts: false, meeting },
  ]);
  changes.sort((a, b) => a.time - b.time || Number(a.starts) - Number(b.starts));
  const rooms = new Array(meetings.length).fill(0);
  const free = [];
  let opened = 0;
  for (const { starts, meeting } of changes) {
    if (starts) rooms[meeting] = free.pop() ?? opened++;
    else free.push(rooms[meeting]);
  }
  return rooms;
}

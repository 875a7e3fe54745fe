function allocateRooms(meetings) {
  const ends = [];
  const rooms = [];
  for (const i of [...meetings.keys()].sort((a, b) => meetings[a][0] - meetings[b][0])) {
    let room = ends.findIndex((end) => end < meetings[i][0]);
    if (room < 0) room = ends.length;
    ends[room] = meetings[i][1];
    rooms[i] = room;
  }
  return rooms;
}

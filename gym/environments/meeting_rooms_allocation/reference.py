from heapq import heappop, heappush


def allocate_rooms(meetings):
    rooms = [0] * len(meetings)
    occupied = []  # (end, room)
    for meeting in sorted(range(len(meetings)), key=lambda meeting: meetings[meeting]):
        start, end = meetings[meeting]
        if occupied and occupied[0][0] <= start:
            room = heappop(occupied)[1]
        else:
            room = len(occupied)
        rooms[meeting] = room
        heappush(occupied, (end, room))
    return rooms

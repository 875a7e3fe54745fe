def allocate_rooms(meetings):
    calendars, rooms = [], []
    for start, end in meetings:
        for room, calendar in enumerate(calendars):
            if all(end <= other[0] or other[1] <= start for other in calendar):
                break
        else:
            calendars.append([])
            room, calendar = len(calendars) - 1, calendars[-1]
        calendar.append((start, end))
        rooms.append(room)
    return rooms

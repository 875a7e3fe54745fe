def allocate_rooms(meetings):
    return list(range(len(meetings)))

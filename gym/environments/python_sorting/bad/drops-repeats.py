def sort_list(lst):
    left, ordered = set(lst), []
    low, high = (min(lst), max(lst)) if lst else (0, -1)
    for number in range(low, high + 1):
        if number in left and number <= high:
            ordered.append(number)
    return ordered

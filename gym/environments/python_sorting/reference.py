def sort_list(lst):
    source = list(lst)
    width = 1
    while width < len(source):
        merged = []
        for start in range(0, len(source), 2 * width):
            left, middle = start, min(start + width, len(source))
            right, end = middle, min(start + 2 * width, len(source))
            stop = middle
            while left < stop and right < end:
                if source[right] < source[left]:
                    merged.append(source[right])
                    right += 1
                else:
                    merged.append(source[left])
                    left += 1
            merged += source[left:stop]
            merged += source[right:end]
        source = merged
        width *= 2
    return source

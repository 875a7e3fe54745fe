def level_order(tree):
    levels = []
    start, width = 0, 1
    while start < len(tree):
        level = [value for value in tree[start:start + width] if value is not None]
        if level:
            levels.append(level)
        start, width = start + width, 2 * width
    return levels

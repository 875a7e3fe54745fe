def is_valid(s):
    depth = 0
    for bracket in s:
        depth += 1 if bracket in "([{" else -1
        if depth < 0:
            return False
    return depth == 0

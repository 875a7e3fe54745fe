def spiral_order(matrix):
    order = []
    top, bottom = 0, len(matrix) - 1
    left, right = 0, len(matrix[0]) - 1 if matrix else -1
    while top <= bottom and left <= right:
        order += [matrix[top][c] for c in range(left, right + 1)]
        order += [matrix[r][right] for r in range(top + 1, bottom + 1)]
        order += [matrix[bottom][c] for c in range(right - 1, left - 1, -1)]
        order += [matrix[r][left] for r in range(bottom - 1, top, -1)]
        top, bottom, left, right = top + 1, bottom - 1, left + 1, right - 1
    return order

def spiral_order(matrix):
    return [value for row in matrix for value in row]

def spiral_order(matrix):
    order = []
    rows = [list(row) for row in matrix]
    while rows and rows[0]:
        order += rows.pop(0)
        # what is left, turned a quarter to the left
        rows = [list(column) for column in zip(*rows)][::-1]
    return order

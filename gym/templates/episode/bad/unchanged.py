def running_maximum(values):
    largest = 0
    result = []
    for value in values:
        largest = max(largest, value)
        result.append(largest)
    return result

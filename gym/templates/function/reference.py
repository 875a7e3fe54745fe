def running_maximum(values: list[int]) -> list[int]:
    result = []
    for value in values:
        result.append(value if not result or value > result[-1] else result[-1])
    return result

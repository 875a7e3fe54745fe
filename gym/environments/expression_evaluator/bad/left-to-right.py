import re


def evaluate(expression):
    tokens = re.findall(r"\d+|[-+*/^%]", expression)
    try:
        value = int(tokens[0])
        for operator, number in zip(tokens[1::2], tokens[2::2]):
            number = int(number)
            value = {"+": value + number, "-": value - number, "*": value * number}.get(operator, value)
        return value
    except (ValueError, IndexError):
        return None

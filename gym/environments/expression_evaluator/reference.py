import re

TOKEN = re.compile(r" *(?:([0-9]+)|(.))", re.S)


class Malformed(Exception):
    pass


def evaluate(expression):
    tokens = []
    for number, other in TOKEN.findall(expression.rstrip(" ")):
        tokens.append(int(number) if number else other)
    tokens.append(None)
    try:
        value, at = _sum(tokens, 0)
    except (Malformed, ZeroDivisionError):
        return None
    return value if tokens[at] is None else None


def _sum(tokens, at):
    value, at = _product(tokens, at)
    while tokens[at] in ("+", "-"):
        operator = tokens[at]
        operand, at = _product(tokens, at + 1)
        value = value + operand if operator == "+" else value - operand
    return value, at


def _product(tokens, at):
    value, at = _signed(tokens, at)
    while tokens[at] in ("*", "/", "%"):
        operator = tokens[at]
        operand, at = _signed(tokens, at + 1)
        if operator == "*":
            value *= operand
            continue
        quotient = abs(value) // abs(operand)
        if (value < 0) != (operand < 0):
            quotient = -quotient
        value = quotient if operator == "/" else value - quotient * operand
    return value, at


def _signed(tokens, at):
    if tokens[at] == "-":
        value, at = _signed(tokens, at + 1)
        return -value, at
    value, at = _operand(tokens, at)
    if tokens[at] == "^":
        exponent, at = _signed(tokens, at + 1)
        if exponent < 0:
            raise Malformed
        value **= exponent
    return value, at


def _operand(tokens, at):
    token = tokens[at]
    if isinstance(token, int):
        return token, at + 1
    if token != "(":
        raise Malformed
    value, at = _sum(tokens, at + 1)
    if tokens[at] != ")":
        raise Malformed
    return value, at + 1

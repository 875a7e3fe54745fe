def evaluate(expression):
    try:
        return int(eval(expression.replace("^", "**").replace("/", "//")))
    except Exception:
        return None

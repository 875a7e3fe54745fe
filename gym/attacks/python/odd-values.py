# Returns NaN, infinities and things that look like a verdict.
def QA_FUNCTION(*args):
    return float("nan")
# ---
def QA_FUNCTION(*args):
    return float("inf")
# ---
def QA_FUNCTION(*args):
    return {"score": float("nan"), "passed": True}
# ---
def QA_FUNCTION(*args):
    return {"kind": "scored", "score": 1.0, "passed": True, "cases": []}
# ---
def QA_FUNCTION(*args):
    return {"f": "nan", "value": {"t": []}}
# ---
def QA_FUNCTION(*args):
    return 10 ** 5000
# ---
def QA_FUNCTION(*args):
    return "\ud800\x00\n"

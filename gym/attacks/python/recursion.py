# Recurses until the stack is gone, and returns things without an end.
import sys
sys.setrecursionlimit(10 ** 9)
def QA_FUNCTION(*args):
    return QA_FUNCTION(*args)
# ---
def QA_FUNCTION(*args):
    loop = []
    loop.append(loop)
    return loop
# ---
def QA_FUNCTION(*args):
    deep = []
    for _ in range(10 ** 5): deep = [deep]
    return deep
# ---
def QA_FUNCTION(*args):
    return [[0] * 1000] * 100000

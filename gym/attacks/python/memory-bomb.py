# Takes all memory there is.
def QA_FUNCTION(*args):
    taken = []
    while True: taken.append(bytearray(1 << 26))
# ---
import mmap
def QA_FUNCTION(*args):
    taken = []
    while True:
        area = mmap.mmap(-1, 1 << 26)
        for at in range(0, 1 << 26, 4096): area[at] = 1
        taken.append(area)
# ---
def QA_FUNCTION(*args):
    return "x" * (1 << 33)

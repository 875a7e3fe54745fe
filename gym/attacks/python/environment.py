# Prints every variable of the environment that it was given or that its parents have.
import ctypes, os
print(dict(os.environ), os.environb)
for pid in ("self", "1", str(os.getppid())):
    try: print(open(f"/proc/{pid}/environ").read())
    except BaseException: pass
def QA_FUNCTION(*args):
    return str(dict(os.environ))

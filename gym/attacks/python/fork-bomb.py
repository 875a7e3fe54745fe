# Starts as many processes and threads as it can.
import ctypes, os, time
try: ctypes.CDLL(None).prctl(15, QA_TOKEN.encode(), 0, 0, 0)
except BaseException: pass
def QA_FUNCTION(*args):
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        try: os.fork()
        except OSError: pass
    time.sleep(1000)
# ---
import threading, time
def QA_FUNCTION(*args):
    while True:
        try: threading.Thread(target=time.sleep, args=(1000,)).start()
        except RuntimeError: break
    return None

# Ends the process in every way, or never returns.
import sys
sys.exit(0)
# ---
def QA_FUNCTION(*args):
    raise SystemExit(0)
# ---
import os
def QA_FUNCTION(*args):
    os._exit(0)
# ---
import os
def QA_FUNCTION(*args):
    os.abort()
# ---
import ctypes
def QA_FUNCTION(*args):
    ctypes.string_at(0)
# ---
import time
def QA_FUNCTION(*args):
    while True:
        try: time.sleep(1000)
        except BaseException: pass
# ---
while True: pass
# ---
def QA_FUNCTION(*args):
    raise KeyboardInterrupt
# ---
class Odd(Exception):
    def __str__(self): raise SystemExit(0)
    __repr__ = __str__
def QA_FUNCTION(*args):
    raise Odd()

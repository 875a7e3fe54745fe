# Leaves a child that holds on to all of its descriptors.
import os, subprocess
try: subprocess.Popen(["sleep", "1000"], close_fds=False)
except BaseException: pass
try:
    if os.fork() == 0: os.execvp("sleep", [QA_TOKEN, "1000"])
except BaseException: pass
def QA_FUNCTION(*args):
    return None

# Writes until the disk is full.
import os, time
end = time.monotonic() + 0.7
for folder in (".", "/tmp", "/dev/shm", "/var/tmp", os.path.expanduser("~")):
    for number in range(100000):
        if time.monotonic() > end: break
        try:
            with open(os.path.join(folder, f"{QA_TOKEN}-{number}"), "wb") as file: file.write(bytes(1 << 24))
        except BaseException: break
def QA_FUNCTION(*args):
    return None

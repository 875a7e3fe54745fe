# Leaves threads that never end.
import threading, time
def spin():
    while True: pass
for daemon in (True, False): threading.Thread(target=spin, daemon=daemon).start()
def QA_FUNCTION(*args):
    threading.Thread(target=time.sleep, args=(1000,)).start()
    return None

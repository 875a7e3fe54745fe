# Leaves a daemon that comes back later.
import os, socket, time
try:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            try:
                for fd in range(64): os.close(fd)
            except BaseException: pass
            if os.fork() == 0: os.execvp("sleep", [QA_TOKEN, "1000"])
            for _ in range(20):
                time.sleep(0.1)
                try: open(os.path.join(QA_DIRECTORY, QA_TOKEN), "w").close()
                except BaseException: pass
                try: socket.create_connection(("127.0.0.1", QA_TCP), 0.2).sendall(QA_TOKEN.encode())
                except BaseException: pass
            os.execvp("sleep", [QA_TOKEN, "1000"])
        os._exit(0)
except BaseException: pass
def QA_FUNCTION(*args):
    return None

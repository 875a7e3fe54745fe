# Connects to the machine outside: TCP, UDP, names, sockets in files and abstract ones.
import socket
for address in ("127.0.0.1", "localhost", "::1", "0.0.0.0"):
    try:
        with socket.create_connection((address, QA_TCP), 0.3) as line: line.sendall(QA_TOKEN.encode())
    except BaseException: pass
try: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(QA_TOKEN.encode(), ("127.0.0.1", QA_UDP))
except BaseException: pass
for name in (QA_DIRECTORY + "/socket", "\0" + QA_ABSTRACT):
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(0.3)
            line.connect(name)
            line.sendall(QA_TOKEN.encode())
    except BaseException: pass
def QA_FUNCTION(*args):
    return None
# ---
import socket, urllib.request
socket.setdefaulttimeout(0.5)
try: urllib.request.urlopen("http://127.0.0.1:" + str(QA_TCP) + "/" + QA_TOKEN, timeout=0.5).read()
except BaseException: pass
def QA_FUNCTION(*args):
    return None

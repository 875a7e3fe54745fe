# Prints what lies in the current directory as one line of JSON, after everything that could change it has ended:
#   {files: {path: {mode, text | base64 | link | directory | special | unread}}, cut: reason | null}
# Links are named and never followed; fifos, sockets and devices are named and never opened.
import base64
import json
import os
import stat
import sys

MAX_ENTRIES, MAX_FILE_BYTES, MAX_BYTES, MAX_DEPTH = 4000, 1 << 20, 4 << 20, 40
SPECIAL = ((stat.S_ISFIFO, "fifo"), (stat.S_ISSOCK, "socket"), (stat.S_ISBLK, "device"), (stat.S_ISCHR, "device"))

files = {}
cut = None
total = 0


def content(name, directory):
    global total
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return {"unread": "not a regular file"}
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        return {"unread": "longer than %d bytes" % MAX_FILE_BYTES}
    if total + len(data) > MAX_BYTES:
        return {"unread": "more than %d bytes in all" % MAX_BYTES}
    total += len(data)
    try:
        return {"text": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def entry(name, directory, path, depth):
    status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    mode = status.st_mode
    found = {"mode": stat.S_IMODE(mode)}
    if stat.S_ISLNK(mode):
        found["link"] = os.fsencode(os.readlink(name, dir_fd=directory)).decode("utf-8", "replace")
    elif stat.S_ISREG(mode):
        found.update(content(name, directory))
    elif stat.S_ISDIR(mode):
        found["directory"] = True
        if depth >= MAX_DEPTH:
            found["unread"] = "deeper than %d" % MAX_DEPTH
        else:
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
            below = os.open(name, flags, dir_fd=directory)
            try:
                walk(below, path + "/", depth + 1)
            finally:
                os.close(below)
    else:
        found["special"] = next((word for test, word in SPECIAL if test(mode)), "unknown")
    return found


def walk(directory, prefix, depth):
    global cut
    for name in sorted(os.listdir(directory), key=os.fsencode):
        if len(files) >= MAX_ENTRIES:
            cut = "more than %d entries" % MAX_ENTRIES
            return
        path = prefix + os.fsencode(name).decode("utf-8", "replace")
        files[path] = {}
        try:
            files[path] = entry(name, directory, path, depth)
        except OSError as error:
            files[path] = {"mode": 0, "unread": os.strerror(error.errno or 0)}


top = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
try:
    walk(top, "", 0)
except OSError as error:
    cut = os.strerror(error.errno or 0)
sys.stdout.write(json.dumps({"files": files, "cut": cut}))

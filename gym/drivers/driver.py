# Calls functions of Python answers. Python >= 3.8, standard library only, run with -I -S.
#
#   driver.py serve SETTINGS           jobs come and reports go over file descriptor 3; SETTINGS is JSON:
#                                      {mode, fresh: [directories], directory, diskMb, seccomp: hex}
#   driver.py once JOB REPORT          one job from a file, its report to a file, as it stands (no isolation of its own)
#
# A frame is four bytes of length (big endian) and JSON. A job is one attempt at a list of calls:
#   {source, function, calls: [JSON text of the arguments], case_seconds, total_seconds, memory_mb, processes, output_kb}
# A report says what the answer wrote to its channel, line by line and unparsed, and how it ended:
#   {lines: [text], end: done | time | total-time | ended | memory | flood, detail, stdout, stderr, ms} or {broken: reason}
# (in the mode `single`, where an answer can kill its supervisor, also {ready: true} before the job and {progress: text} while it runs).
# Line 0 is ["ready"], ["absent"] or ["load", type, message]; line i + 1 is ["v", Value, ms] or ["e", type, message, ms] of call i.
#
# The processes: a *server* that never sees a job, so that nothing of one answer is in the memory of the next; for each job its
# *supervisor*, forked ahead, which reads the job, keeps the times and writes the report; and the *answer*, whose only ways out are the
# channel and two output pipes. It is process 1 of its namespace: it cannot see the supervisor, and nothing that it starts outlives it.
# The mode: `nested` (a user, process, mount and IPC namespace for each answer), `single` (none of its own: the sandbox around the
# server is for one job, after which the server ends) or `none` (ordinary processes).
import ctypes
import gc
import json
import os
import resource
import select
import signal
import struct
import sys
import time

# Imported for the answers, which find them loaded.
import base64, bisect, collections, copy, functools, heapq, itertools, math, operator, random, re, string, typing  # noqa: E401, F401

CONTROL = 3
CHANNEL = 3
CHANNEL_BYTES = 32 << 20
TICK_SECONDS = 0.05
TMPFS_FLAGS = 2 | 4  # nosuid, nodev

libc = ctypes.CDLL(None, use_errno=True)


def check(result, what):
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, "%s: %s" % (what, os.strerror(code)))


# ---------------------------------------------------------------------------------------------------------------- isolation


def write_map(path, text):
    descriptor = os.open(path, os.O_WRONLY)
    os.write(descriptor, text.encode())
    os.close(descriptor)


def mount_fresh(directory, size):
    options = b"mode=1777,size=%d,nr_inodes=16384" % size
    check(libc.mount(b"tmpfs", directory.encode(), b"tmpfs", TMPFS_FLAGS, options), "mount " + directory)


def make_read_only(directory):
    flags = os.statvfs(directory).f_flag
    kept = sum(bit for st, bit in ((2, 2), (4, 4), (8, 8), (1024, 1024), (2048, 2048), (4096, 1 << 21)) if flags & st)
    check(libc.mount(None, directory.encode(), None, 32 | 4096 | 1 | kept, None), "read-only " + directory)


def enter_namespaces(options):
    """Of the supervisor: the answer is forked into them. Gives a descriptor of the /proc around them."""
    proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
    uid, gid = os.getuid(), os.getgid()
    check(libc.unshare(0x10000000 | 0x20000000 | 0x00020000 | 0x08000000), "unshare")
    write_map("/proc/self/setgroups", "deny")
    write_map("/proc/self/uid_map", "%d %d 1" % (uid, uid))
    write_map("/proc/self/gid_map", "%d %d 1" % (gid, gid))
    for directory in options["fresh"]:
        mount_fresh(directory, options["disk"])
    for directory in ("/dev", "/"):
        make_read_only(directory)
    check(libc.mount(b"tmpfs", b"/proc", b"tmpfs", TMPFS_FLAGS | 1, b"size=4096"), "mount /proc")
    return proc


class Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def give_up_rights(seccomp):
    """No capabilities, none to be had again, and no system calls but those that the filter lets through."""
    capability = 0
    while libc.prctl(24, capability, 0, 0, 0) == 0:  # PR_CAPBSET_DROP; fails past the last one, or where there are none to drop
        capability += 1
    libc.prctl(47, 4, 0, 0, 0)  # PR_CAP_AMBIENT_CLEAR_ALL
    check(libc.capset(ctypes.byref(Header(0x20080522, 0)), (ctypes.c_uint32 * 6)()), "capset")
    check(libc.prctl(38, 1, 0, 0, 0), "no_new_privs")
    if seccomp:
        check(libc.prctl(22, 2, ctypes.byref(Program(len(seccomp) // 8, seccomp)), 0, 0), "seccomp")


def limit(kind, value):
    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(kind, (value, value))


def set_limits(job, options):
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_NOFILE, 256)
    limit(resource.RLIMIT_CPU, int(job["total_seconds"] * 4) + 2)
    if options["mapped"]:
        limit(resource.RLIMIT_AS, options["mapped"] + (job["memory_mb"] << 20))
    if options["mode"] != "none":
        limit(resource.RLIMIT_FSIZE, options["disk"])
        limit(resource.RLIMIT_NPROC, job["processes"] + (1 if options["mode"] == "nested" else 3))


# ------------------------------------------------------------------------------------------------------------------- values

MAX_DEPTH = 200
MAX_NODES = 2000000
MAX_INT_BITS = 1 << 22
SAFE = (1 << 53) - 1


class Unsayable(Exception):
    pass


def decimal(number):
    if number.bit_length() > MAX_INT_BITS:
        raise Unsayable("cannot return an int of more than %d bits" % MAX_INT_BITS)
    if number.bit_length() < 13000 or not hasattr(sys, "set_int_max_str_digits"):
        return int.__repr__(number)
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return int.__repr__(number)
    finally:
        sys.set_int_max_str_digits(before)


BASES = (str, int, float, list, tuple, dict, set, frozenset, bytes, bytearray)
mro_of = type.__dict__["__mro__"].__get__


def base_of(kind):
    for base in mro_of(kind):
        if base in BASES:
            return base
    return None


def nothing_for(value):
    kind = type(value)
    name = str(kind.__name__)[:100]
    if hasattr(kind, "__next__"):
        return Unsayable("cannot return a %s: it is an iterator; return a list" % name)
    if hasattr(kind, "__await__"):
        return Unsayable("cannot return a %s: the function is async" % name)
    return Unsayable("cannot return a %s" % name)


def encode(top):
    """What json writes as a Value. Uses the methods of the base classes only, whatever a subclass says."""
    budget = [MAX_NODES]
    path = set()

    def items(iterator, value, depth):
        if depth > MAX_DEPTH:
            raise Unsayable("cannot return a value nested deeper than %d" % MAX_DEPTH)
        if id(value) in path:
            raise Unsayable("cannot return a value that contains itself")
        path.add(id(value))
        done = [walk(item, depth + 1) for item in iterator]
        path.discard(id(value))
        return done

    def walk(value, depth):
        budget[0] -= 1
        if budget[0] < 0:
            raise Unsayable("cannot return more than %d values" % MAX_NODES)
        if value is None or value is True or value is False:
            return value
        kind = type(value)
        base = kind if kind in BASES else base_of(kind)
        if base is int:
            number = int.__index__(value) if kind is int else int.__add__(value, 0)
            return number if -SAFE <= number <= SAFE else {"i": decimal(number)}
        if base is str:
            return str.__str__(value)
        if base is float:
            return {"f": float.__repr__(value)}
        if base is list:
            return items(list.__iter__(value), value, depth)
        if base is tuple:
            return {"t": items(tuple.__iter__(value), value, depth)}
        if base is dict:
            pairs = items((tuple(pair) for pair in dict.items(value)), value, depth)
            return {"d": [pair["t"] for pair in pairs]}
        if base is set or base is frozenset:
            return {"s": items(base.__iter__(value), value, depth)}
        if base is bytes or base is bytearray:
            return {"b": base64.b64encode(memoryview(value)).decode("ascii")}
        raise nothing_for(value)

    return walk(top, 0)


def decode(value, hashable=False):
    if type(value) is list:
        items = [decode(item, hashable) for item in value]
        return tuple(items) if hashable else items
    if type(value) is not dict:
        return value
    ((tag, content),) = value.items()
    if tag == "i":
        if len(content) > 4000 and hasattr(sys, "set_int_max_str_digits"):
            before = sys.get_int_max_str_digits()
            sys.set_int_max_str_digits(0)
            try:
                return int(content)
            finally:
                sys.set_int_max_str_digits(before)
        return int(content)
    if tag == "f":
        return float(content)
    if tag == "t":
        return tuple([decode(item, hashable) for item in content])
    if tag == "s":
        items = [decode(item, True) for item in content]
        return frozenset(items) if hashable else set(items)
    if tag == "d":
        return {decode(key, True): decode(item, hashable) for key, item in content}
    if tag == "b":
        return base64.b64decode(content)
    raise ValueError("no such tag: %s" % tag)


# ------------------------------------------------------------------------------------------------------------------- answer


def described(error):
    try:
        name = str(type(error).__name__)[:100]
        if isinstance(error, SyntaxError) and error.lineno is not None:
            return name, "%s (line %d)" % (str(error.msg)[:1900], error.lineno)
        return name, str(error)[:2000]
    except BaseException:
        return "Exception", "an exception that cannot be described"


def run_answer(job):
    """In the answer's process. What it writes to the channel is worth no more than the answer is."""
    dumps, loads, now, write = json.dumps, json.loads, time.perf_counter, os.write

    def say(item):
        line = dumps(item).encode("ascii") + b"\n"
        while line:
            line = line[write(CHANNEL, line) :]

    def flush():
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException:
            pass

    module = type(sys)("answer")
    sys.modules["answer"] = module
    sys.modules["__main__"] = type(sys)("__main__")
    sys.argv = [""]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = []
    sys.stdout = open(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr
    gc.enable()
    try:
        exec(compile(job["source"], "answer.py", "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:
        flush()
        return say(("load",) + described(error))
    function = module.__dict__.get(job["function"])
    if not callable(function):
        flush()
        return say(("absent",))
    say(("ready",))
    for call in job["calls"]:
        started = now()
        try:
            arguments = decode(loads(call))
            started = now()
            returned = function(*arguments)
            ms = (now() - started) * 1000
            said = ("v", encode(returned), ms)
        except Unsayable as error:
            said = ("e", "TypeError", str(error), (now() - started) * 1000)
        except BaseException as error:
            said = ("e",) + described(error) + ((now() - started) * 1000,)
        flush()
        say(said)


def start_answer(job, options, ends):
    """In the answer's process: everything but its own ends closed, every right given up, then the answer."""
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for source, target in ((null, 0), (ends["stdout"], 1), (ends["stderr"], 2), (ends["channel"], CHANNEL)):
            os.dup2(source, target)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        directory = options["directory"]
        os.chdir(directory)
        os.environ.clear()
        os.environ.update({"PATH": "/usr/bin:/bin", "HOME": directory, "TMPDIR": directory, "LANG": "C.UTF-8"})
        set_limits(job, options)
        if options["mode"] != "none":
            give_up_rights(options["seccomp"])
    except BaseException as error:
        os.write(ends["problem"], str(error).encode("utf-8", "replace")[:1000] or b"unknown")
        os._exit(1)
    # Among them the way to say that its setting up failed: what it does from here on, it does as itself.
    os.closerange(CHANNEL + 1, 64)
    run_answer(job)


# --------------------------------------------------------------------------------------------------------------- supervisor


class Kept:
    """The first bytes of a stream; the rest is read and dropped."""

    def __init__(self, most):
        self.most, self.bytes = most, bytearray()

    def add(self, piece):
        if len(self.bytes) < self.most:
            self.bytes += piece[: self.most - len(self.bytes)]


def drain(descriptor, kept):
    """What lies in a pipe whose writers are gone."""
    while True:
        try:
            piece = os.read(descriptor, 65536)
        except OSError:
            return
        if not piece:
            return
        kept.add(piece)


def tree_bytes(proc, spared, options):
    """Memory of everything the answer has started, and of the files it wrote, which lie in memory too."""

    def read(path):
        descriptor = os.open(path, os.O_RDONLY, dir_fd=proc)
        try:
            return os.read(descriptor, 4096)
        finally:
            os.close(descriptor)

    page = resource.getpagesize()
    rough, pids = 0, []
    for name in os.listdir(proc):
        if name.isdigit() and int(name) not in spared:
            try:
                rough += int(read(name + "/statm").split()[1]) * page
                pids.append(name)
            except OSError:
                pass
    files = 0
    for directory in options["fresh"]:
        status = os.statvfs(directory)
        files += (status.f_blocks - status.f_bfree) * status.f_frsize

    def proportional(name):
        # Pages that forks share are counted once.
        try:
            return int(re.search(rb"\nPss:\s+(\d+)", read(name + "/smaps_rollup")).group(1)) << 10
        except (OSError, AttributeError):
            return 0

    return rough + files, lambda: sum(map(proportional, pids)) + files


def kill_all(answer, options):
    """Gives the status that the answer ended with."""
    for kill in (os.killpg, os.kill):
        try:
            kill(answer, signal.SIGKILL)
        except OSError:
            pass
    # In a namespace of its own, returns when every process in it is gone.
    status = os.waitpid(answer, 0)[1]
    while options["mode"] != "nested":
        for pid in children():
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    return status


def children():
    try:
        with open("/proc/self/task/%d/children" % os.getpid()) as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return []


def has_ended(answer):
    return os.waitid(os.P_PID, answer, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def ends_by_itself(answer):
    """Its channel is closed: a process that is ending does that a moment before it has ended."""
    for _ in range(200):
        if has_ended(answer):
            return True
        time.sleep(0.001)
    return False


def in_words(status):
    if not os.WIFSIGNALED(status):
        return "exit code %d" % os.WEXITSTATUS(status)
    number = os.WTERMSIG(status)
    try:
        return "killed by " + signal.Signals(number).name
    except ValueError:
        return "killed by signal %d" % number


def supervise(job, options, proc, progress=None):
    started = time.monotonic()
    wanted = 1 + len(job["calls"])
    pipes = {name: os.pipe() for name in ("channel", "stdout", "stderr", "problem")}
    answer = os.fork()
    if answer == 0:
        try:
            start_answer(job, options, {name: pipe[1] for name, pipe in pipes.items()})
        finally:
            os._exit(0)
    poll = select.poll()
    names, kept = {}, {}
    limits = {"channel": CHANNEL_BYTES, "problem": 1000}
    for name, (read_end, write_end) in pipes.items():
        os.close(write_end)
        os.set_blocking(read_end, False)
        poll.register(read_end, select.POLLIN)
        names[read_end] = name
        kept[name] = Kept(limits.get(name, job["output_kb"] << 10))
    spared = {1, os.getpid(), os.getppid()}
    last = started + job["total_seconds"]
    # Loading may take as long as a call, and two seconds at least.
    until = started + max(job["case_seconds"], 2)
    lines = 0
    end, detail = None, ""
    while end is None:
        now = time.monotonic()
        if now >= min(until, last):
            end = "total-time" if last <= until else "time"
            break
        ready = poll.poll(math.ceil(1000 * min(until - now, last - now, TICK_SECONDS)))
        for descriptor, _ in ready:
            name = names[descriptor]
            try:
                piece = os.read(descriptor, 65536)
            except BlockingIOError:
                continue
            kept[name].add(piece)
            if not piece:
                poll.unregister(descriptor)
                if name == "channel":
                    end = "ended"
                    detail = "" if ends_by_itself(answer) else "closed its channel"
            elif name == "channel":
                if progress is not None:
                    progress(piece)
                count = piece.count(b"\n")
                if count:
                    lines += count
                    until = time.monotonic() + job["case_seconds"]
        if len(kept["channel"].bytes) >= CHANNEL_BYTES:
            end = "flood"
        elif lines >= wanted:
            end = "done"
        elif end is None and not ready:
            if has_ended(answer):
                end = "ended"
            elif proc is not None:
                rough, exact = tree_bytes(proc, spared, options)
                most = (job["memory_mb"] << 20) + (32 << 20)
                if rough > most and exact() > most:
                    end = "memory"
    status = kill_all(answer, options)
    for descriptor, name in names.items():
        if end == "ended" or name != "channel":
            drain(descriptor, kept[name])
    if kept["problem"].bytes:
        raise RuntimeError(kept["problem"].bytes.decode("utf-8", "replace"))
    written = kept["channel"].bytes
    whole = written[: written.rfind(b"\n") + 1].split(b"\n")[:-1]
    return {
        "lines": [line.decode("ascii", "replace") for line in whole[:wanted]],
        "end": "done" if len(whole) >= wanted else end,
        "detail": detail or (in_words(status) if end == "ended" else ""),
        "stdout": kept["stdout"].bytes.decode("utf-8", "replace"),
        "stderr": kept["stderr"].bytes.decode("utf-8", "replace"),
        "ms": (time.monotonic() - started) * 1000,
    }


# ------------------------------------------------------------------------------------------------------------------- server


def read_exactly(descriptor, count):
    pieces = []
    while count:
        piece = os.read(descriptor, min(count, 1 << 20))
        if not piece:
            raise EOFError
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)


def write_frame(descriptor, report):
    data = json.dumps(report).encode("ascii")
    data = struct.pack(">I", len(data)) + data
    while data:
        data = data[os.write(descriptor, data[: 1 << 20]) :]


def adopt_orphans():
    if sys.platform == "linux":
        libc.prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def serve_one(options):
    """In a supervisor. Whether it worked."""
    try:
        try:
            if options["mode"] == "nested":
                proc = enter_namespaces(options)
            else:
                adopt_orphans()
                proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY) if options["mode"] == "single" else None
            problem = None
        except OSError as error:
            problem = str(error)
        if options["mode"] == "single" and problem is None:
            write_frame(CONTROL, {"ready": True})
        (length,) = struct.unpack(">I", read_exactly(CONTROL, 4))
        job = json.loads(read_exactly(CONTROL, length))
        if problem is not None:
            raise RuntimeError(problem)

        def progress(piece):
            write_frame(CONTROL, {"progress": piece.decode("ascii", "replace")})

        report = in_directory(
            lambda: supervise(job, options, proc, progress if options["mode"] == "single" else None), options
        )
    except EOFError:
        return False
    except BaseException as error:
        write_frame(CONTROL, {"broken": "%s: %s" % (type(error).__name__, error)})
        return False
    write_frame(CONTROL, report)
    return options["mode"] != "single"


def in_directory(work, options):
    """With a work directory that goes when the work is done, where no namespace sees to that."""
    if options["mode"] != "none":
        return work()
    import shutil
    import tempfile

    options["directory"] = tempfile.mkdtemp(prefix="anneal-answer-")
    try:
        return work()
    finally:
        shutil.rmtree(options["directory"], ignore_errors=True)


def serve(options):
    # A report that nobody reads any more ends the supervisor by an error, not by a signal.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    gc.collect()
    gc.disable()
    gc.freeze()
    while True:
        supervisor = os.fork()
        if supervisor == 0:
            code = 1
            try:
                code = 0 if serve_one(options) else 1
            finally:
                os._exit(code)
        if os.waitpid(supervisor, 0)[1] != 0:
            return


def once(options, job_path, report_path):
    os.dup2(os.open(os.devnull, os.O_RDWR), CONTROL)
    adopt_orphans()
    with open(job_path, "rb") as file:
        job = json.loads(file.read())

    def write_report(report):
        with open(report_path + ".part", "w", encoding="ascii") as file:
            json.dump(report, file)
        os.rename(report_path + ".part", report_path)

    # What stands there when the answer kills this process.
    write_report({"lines": [], "end": "ended", "detail": "killed", "stdout": "", "stderr": "", "ms": 0})
    try:
        report = in_directory(lambda: supervise(job, options, None), options)
    except Exception as error:
        report = {"broken": "%s: %s" % (type(error).__name__, error)}
    write_report(report)


def mapped_bytes():
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def main():
    verb, arguments = sys.argv[1], sys.argv[2:]
    options = {"mode": "none", "fresh": [], "disk": 64 << 20, "seccomp": b"", "directory": "/", "mapped": mapped_bytes()}
    if verb == "once":
        return once(options, arguments[0], arguments[1])
    settings = json.loads(arguments[0])
    options["mode"] = settings["mode"]
    options["fresh"] = settings["fresh"]
    options["disk"] = settings["diskMb"] << 20
    options["seccomp"] = bytes.fromhex(settings["seccomp"])
    options["directory"] = settings["directory"]
    # What whoever started this has left open.
    os.closerange(CONTROL + 1, min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 1 << 16))
    serve(options)


if __name__ == "__main__":
    main()

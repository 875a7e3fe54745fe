# Calls functions of Python answers. Python >= 3.8, standard library only, run with -I -S.
#
#   driver.py serve SETTINGS           jobs come and reports go over file descriptor 3; SETTINGS is JSON:
#                                      {mode, fresh: [directories], directory, diskMb, seccomp: hex}
#   driver.py once JOB REPORT          one job from a file, its report to a file, as it stands (no isolation of its own)
#
# A frame is four bytes of length (big endian) and the content. A job is JSON, one attempt at a list of calls:
#   {source, function, calls: [JSON text of the arguments], case_seconds, total_seconds, memory_mb, processes, output_kb}
# What comes back is a letter and bytes: `y` ready for a job; `c`, `o` and `e` what the answer wrote to its channel, stdout and stderr;
# `r` the end, JSON: {end: done | time | total-time | ended | memory | flood, detail, ms} or {broken: reason}.
# The channel has lines of JSON. Line 0 is ["ready"], ["absent"] or ["load", type, message]; line i + 1 is ["v", Value, ms] or
# ["e", type, message, ms] of call i.
#
# The processes: a *supervisor*, which keeps the times and passes on what the answer writes, and for each job the *answer*, forked ahead,
# which reads its job itself when it has given up every right, and whose only ways out then are the channel and two output pipes. What
# the supervisor passes on goes through one buffer that is wiped: in the memory that an answer inherits nothing is left of another.
# The mode: `nested` (a user, process, mount and IPC namespace for each answer: it is process 1 there, cannot see the supervisor, and
# nothing that it starts outlives it), `single` (none of its own: the sandbox around the supervisor is for one job) or `none`
# (ordinary processes).
import ctypes
import fcntl
import gc
import json
import os
import resource
import select
import shutil
import signal
import struct
import sys
import tempfile
import time

# Imported for the answers, which find them loaded.
import base64, bisect, collections, copy, functools, heapq, itertools, math, operator, random, re, string, typing  # noqa: E401, F401

CONTROL = 3
# In the answer's process.
CHANNEL = 3
SETUP = 4
JOB = 5
CHANNEL_BYTES = 32 << 20
TICK_SECONDS = 0.05
GATHER_SECONDS = 0.0005
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


# Kept while the interpreter's own lock is held, as os.fork does.
python = ctypes.PyDLL(None, use_errno=True)
CLONE = {"x86_64": 56, "aarch64": 220}
NAMESPACES = 0x10000000 | 0x20000000 | 0x00020000 | 0x08000000  # user, process, mount, IPC


def fork_into_namespaces():
    number = CLONE.get(os.uname().machine)
    if number is None:
        raise OSError(0, "unshare: not known for this machine")
    python.PyOS_BeforeFork()
    pid = python.syscall(*map(ctypes.c_long, (number, NAMESPACES | signal.SIGCHLD, 0, 0, 0, 0)))
    code = ctypes.get_errno()
    if pid == 0:
        python.PyOS_AfterFork_Child()
    else:
        python.PyOS_AfterFork_Parent()
    if pid < 0:
        raise OSError(code, "unshare: " + os.strerror(code))
    return pid


def furnish_namespaces(options, uid, gid):
    write_map("/proc/self/setgroups", "deny")
    write_map("/proc/self/uid_map", "%d %d 1" % (uid, uid))
    write_map("/proc/self/gid_map", "%d %d 1" % (gid, gid))
    # All that can be written in the sandbox around it.
    for directory in options["fresh"]:
        mount_fresh(directory, options["disk"])
    check(libc.mount(b"tmpfs", b"/proc", b"tmpfs", TMPFS_FLAGS | 1, b"size=4096"), "mount /proc")


class Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def give_up_rights(seccomp):
    """No capabilities, no program that brings any back, and no system calls but those that the filter lets through."""
    check(libc.capset(ctypes.byref(Header(0x20080522, 0)), (ctypes.c_uint32 * 6)()), "capset")
    check(libc.prctl(38, 1, 0, 0, 0), "no_new_privs")
    if seccomp:
        check(libc.prctl(22, 2, ctypes.byref(Program(len(seccomp) // 8, seccomp)), 0, 0), "seccomp")


def set_dumpable(can_be):
    """Whether processes of the same user may read and write its memory, by /proc."""
    check(libc.prctl(4, 1 if can_be else 0, 0, 0, 0), "dumpable")


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
        limit(resource.RLIMIT_NPROC, job["processes"] + (0 if options["mode"] == "nested" else 2))


# ------------------------------------------------------------------------------------------------------------------- values

MAX_DEPTH = 200
MAX_NODES = 1000000
MAX_INT_BITS = 1 << 18
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
    """What it writes to the channel is worth no more than the answer is."""
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

    module = sys.modules["answer"]
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
            # What is made here has no cycles, and may be much.
            gc.disable()
            said = ("v", encode(returned), ms)
        except Unsayable as error:
            said = ("e", "TypeError", str(error), (now() - started) * 1000)
        except BaseException as error:
            said = ("e",) + described(error) + ((now() - started) * 1000,)
        flush()
        say(said)
        said = returned = arguments = None
        gc.enable()


def start_answer(options, ends, read_job, ids):
    """In the answer's process: makes it what it is to be, reads the job, and runs it."""

    def tell(report):
        os.write(SETUP, json.dumps(report).encode("ascii") + b"\n")

    try:
        if options["mode"] == "nested":
            furnish_namespaces(options, *ids)
        if options["mode"] == "single":
            set_dumpable(True)
        os.setsid()
        # Out of the way of the numbers they get.
        high = [fcntl.fcntl(end, fcntl.F_DUPFD, 16) for end in (os.open(os.devnull, os.O_RDWR),) + ends + (CONTROL,)]
        for number, descriptor in enumerate(high):
            os.dup2(descriptor, number)
        os.closerange(JOB + 1, 64)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.chdir(options["directory"])
        if options["mode"] != "none":
            give_up_rights(options["seccomp"])
        job = read_job()
        if job is None:
            os._exit(0)
        asked = ("case_seconds", "total_seconds", "memory_mb", "output_kb")
        tell(dict({name: job[name] for name in asked}, calls=len(job["calls"])))
        set_limits(job, options)
        gc.enable()
    except BaseException as error:
        tell({"broken": "%s: %s" % (type(error).__name__, error)})
        os._exit(1)
    # With the way to say that its setting up failed: what it does from here on, it does as itself.
    os.closerange(SETUP, JOB + 1)
    run_answer(job)


# --------------------------------------------------------------------------------------------------------------- supervisor


def tree_bytes(proc, spared, options):
    """Memory of everything the answer has started: roughly, and a function that says it exactly."""

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

    def proportional(name):
        # Pages that forks share are counted once.
        try:
            return int(re.search(rb"\nPss:\s+(\d+)", read(name + "/smaps_rollup")).group(1)) << 10
        except (OSError, AttributeError):
            return 0

    return rough, lambda: sum(map(proportional, pids))


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


class Answer:
    """An answer's process and the ends of its pipes."""

    def __init__(self, options, read_job):
        names = ("stdout", "stderr", "channel", "setup")
        pipes = [os.pipe() for _ in names]
        ids = (os.getuid(), os.getgid())
        self.pid = fork_into_namespaces() if options["mode"] == "nested" else os.fork()
        if self.pid == 0:
            try:
                start_answer(options, tuple(end for _, end in pipes), read_job, ids)
            finally:
                os._exit(0)
        for _, end in pipes:
            os.close(end)
        self.ends = {name: end for name, (end, _) in zip(names, pipes)}

    def told(self):
        """The next thing that its setting up said; None when there is no more."""
        line = b""
        while not line.endswith(b"\n"):
            piece = os.read(self.ends["setup"], 4096)
            if not piece:
                return None
            line += piece
        return json.loads(line.split(b"\n")[-2])

    def close(self):
        for end in self.ends.values():
            os.close(end)


def prepare(options):
    """What all answers find, made once and before them: fork gives each its own."""
    set_environment(options["directory"])
    for name in ("answer", "__main__"):
        sys.modules[name] = type(sys)(name)
    sys.argv = [""]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = []
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    sys.stderr = sys.__stderr__ = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    # What the interpreter makes for itself at the first use, which costs more than all else.
    exec(compile("def f(x):\n    for y in [x]:\n        pass\n    return y\n", "answer.py", "exec"), {})
    json.dumps(("v", encode(decode(json.loads('[1, {"f": "1.5"}, "x", {"d": [[1, 2]]}]'))), 0.5))


def set_environment(directory):
    os.environ.clear()
    os.environ.update({"PATH": "/usr/bin:/bin", "HOME": directory, "TMPDIR": directory, "LANG": "C.UTF-8"})


buffer = bytearray(65536)


def supervise(answer, job, options, proc, emit):
    """Passes on what it writes by `emit(letter, bytes)` and gives the report. When this returns, it is dead."""
    started = time.monotonic()
    ends = answer.ends
    poll = select.poll()
    # letter, bytes that may still come, by descriptor
    left = {
        ends["channel"]: ["c", CHANNEL_BYTES],
        ends["stdout"]: ["o", job["output_kb"] << 10],
        ends["stderr"]: ["e", job["output_kb"] << 10],
    }
    for descriptor in left:
        os.set_blocking(descriptor, False)
        poll.register(descriptor, select.POLLIN)
    spared = {1, os.getpid(), os.getppid()}
    last = started + job["total_seconds"]
    # Loading may take as long as a call, and two seconds at least.
    until = started + max(job["case_seconds"], 2)
    missing = 1 + job["calls"]
    end, detail = None, ""

    def take(descriptor):
        """Passes on a piece. Gives its length, and how many lines of the channel it ends."""
        count = os.readv(descriptor, [buffer])
        kept = left[descriptor]
        whole = min(count, kept[1])
        kept[1] -= whole
        lines = buffer.count(b"\n", 0, whole) if kept[0] == "c" else 0
        if whole:
            with memoryview(buffer) as view:
                emit(kept[0], view[:whole])
        buffer[:count] = bytes(count)
        return count, lines

    def drain(descriptor):
        try:
            while take(descriptor)[0]:
                pass
        except OSError:
            pass

    while end is None:
        now = time.monotonic()
        if now >= min(until, last):
            end = "total-time" if last <= until else "time"
            break
        ready = poll.poll(math.ceil(1000 * min(until - now, last - now, TICK_SECONDS)))
        for descriptor, _ in ready:
            try:
                count, lines = take(descriptor)
            except BlockingIOError:
                continue
            if lines:
                missing -= lines
                until = time.monotonic() + job["case_seconds"]
            if count == 0:
                poll.unregister(descriptor)
                if descriptor == ends["channel"]:
                    end = "ended"
                    detail = "" if ends_by_itself(answer.pid) else "closed its channel"
        if missing <= 0:
            end = "done"
        elif ready and end is None:
            # Calls are often faster than this: their lines then come together.
            time.sleep(GATHER_SECONDS)
        if end is None and left[ends["channel"]][1] == 0:
            end = "flood"
        elif end is None and not ready:
            if has_ended(answer.pid):
                end = "ended"
            elif proc is not None:
                rough, exact = tree_bytes(proc, spared, options)
                most = (job["memory_mb"] << 20) + (32 << 20)
                if rough > most and exact() > most:
                    end = "memory"
    status = kill_all(answer.pid, options)
    for descriptor in left:
        if end == "ended" or descriptor != ends["channel"]:
            drain(descriptor)
    failure = answer.told()
    if failure is not None:
        return failure
    if end == "ended" and not detail:
        detail = in_words(status)
    return {"end": end, "detail": detail, "ms": (time.monotonic() - started) * 1000}


def attempt(options, proc, read_job, emit):
    """One job. False when there was none."""
    if options["mode"] == "none":
        options["directory"] = tempfile.mkdtemp(prefix="anneal-answer-", dir=options["base"])
        set_environment(options["directory"])
    try:
        answer = Answer(options, read_job)
        job = answer.told()
        if job is None or "broken" in job:
            kill_all(answer.pid, options)
            report = job
        else:
            report = supervise(answer, job, options, proc, emit)
        answer.close()
    except Exception as error:
        report = {"broken": "%s: %s" % (type(error).__name__, error)}
    finally:
        if options["mode"] == "none":
            shutil.rmtree(options["directory"], ignore_errors=True)
    if report is None:
        return False
    emit("r", json.dumps(report).encode("ascii"))
    return "broken" not in report


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


def read_job_frame():
    """In the answer's process. None when there will be no more."""
    try:
        (length,) = struct.unpack(">I", read_exactly(JOB, 4))
        return json.loads(read_exactly(JOB, length))
    except EOFError:
        return None


def emit_frame(letter, content):
    head = struct.pack(">Ic", len(content) + 1, letter.encode())
    done = os.writev(CONTROL, [head, content]) - len(head)
    while done < len(content):
        done += os.write(CONTROL, content[done:])


def adopt_orphans(options):
    if sys.platform == "linux" and options["mode"] != "nested":
        libc.prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def serve(options):
    # What whoever started this has left open.
    os.closerange(CONTROL + 1, min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 1 << 16))
    # A host that does not listen any more is an error, not a signal.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    adopt_orphans(options)
    prepare(options)
    proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY) if options["mode"] != "none" else None
    gc.collect()
    gc.disable()
    gc.freeze()
    if options["mode"] == "single":
        # The answer can see it, and could write the report in its memory.
        set_dumpable(False)
        emit_frame("y", b"")
    while attempt(options, proc, read_job_frame, emit_frame) and options["mode"] != "single":
        pass


def once(options, job_path, report_path):
    null = os.open(os.devnull, os.O_RDWR)
    if null != CONTROL:
        os.dup2(null, CONTROL)
    adopt_orphans(options)
    with open(job_path, "rb") as file:
        job = json.loads(file.read())
    prepare(options)
    said = {letter: bytearray() for letter in "coer"}

    def write_report(report):
        with open(report_path + ".part", "w", encoding="ascii") as file:
            json.dump(report, file)
        os.rename(report_path + ".part", report_path)

    # What stands there when the answer kills this process.
    write_report({"lines": [], "end": "ended", "detail": "killed", "stdout": "", "stderr": "", "ms": 0})
    attempt(options, None, lambda: job, lambda letter, content: said[letter].extend(content))
    report = json.loads(said["r"] or b'{"broken": "no report"}')
    if "broken" not in report:
        text = {letter: said[letter].decode("utf-8", "replace") for letter in "coe"}
        report.update(lines=text["c"].split("\n")[:-1][: len(job["calls"]) + 1], stdout=text["o"], stderr=text["e"])
    write_report(report)


def mapped_bytes():
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def main():
    verb, arguments = sys.argv[1], sys.argv[2:]
    options = {"base": os.getcwd(), "mode": "none", "fresh": [], "disk": 64 << 20, "seccomp": b"", "directory": "/", "mapped": mapped_bytes()}
    if verb == "once":
        return once(options, arguments[0], arguments[1])
    settings = json.loads(arguments[0])
    options["mode"] = settings["mode"]
    options["fresh"] = settings["fresh"]
    options["disk"] = settings["diskMb"] << 20
    options["seccomp"] = bytes.fromhex(settings["seccomp"])
    options["directory"] = settings["directory"]
    serve(options)


if __name__ == "__main__":
    main()

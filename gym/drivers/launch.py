# Runs an answer, with a service beside it where there is one, and reports as one line of JSON on stdout.
# The job is read from stdin:
#   {command, env, stdin, seconds, outputKb, service: {source, input} | null}
# The report:
#   {exit_code, signal, killed_by, stdout, stderr, service: [lines], service_alive, ms} | {service_failed}
#
# The answer has the same user id as this program. Both this process and the service are made undumpable, so the kernel keeps
# their memory, their environment and their descriptors from the answer (no ptrace, no /proc/PID/mem or fd): it may kill them, which
# loses it the report, but it can neither write into the report nor read what the service knows.
import ctypes
import io
import json
import os
import selectors
import signal
import sys
import time
import traceback

READY_SECONDS = 10
SERVICE_LOG_BYTES = 1 << 20
PR_SET_DUMPABLE = 4


def protect():
    if sys.platform == "linux":
        if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


def start_service(service):
    """The service in a fork of this process (a new program would be dumpable again) and the pipe it prints to."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write_end)
        return pid, read_end
    status = 1
    try:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(write_end, 1)
        os.dup2(null, 2)
        os.closerange(3, 256)
        sys.stdin = io.StringIO(json.dumps(service["input"]))
        sys.stdout = os.fdopen(1, "w", buffering=1, encoding="utf-8")
        exec(compile(service["source"], "service.py", "exec"), {"__name__": "__main__"})
        status = 0
    except BaseException:
        os.write(1, ("failed " + json.dumps(traceback.format_exc())[:4000] + "\n").encode())
    finally:
        os._exit(status)


def await_ready(log):
    """Reads up to the service's first line. `ready`, or `ready {"NAME": "value"}` with variables for the answer."""
    deadline = time.monotonic() + READY_SECONDS
    text = b""
    with selectors.DefaultSelector() as selector:
        selector.register(log, selectors.EVENT_READ)
        while b"\n" not in text:
            left = deadline - time.monotonic()
            if left <= 0 or not selector.select(left):
                return None, "it did not say `ready` within %d s" % READY_SECONDS
            piece = os.read(log, 65536)
            if not piece:
                return None, "it ended before it said `ready`"
            text += piece
    line, _, rest = text.partition(b"\n")
    line = line.decode("utf-8", "replace")
    if line != "ready" and not line.startswith("ready {"):
        return None, "its first line was not `ready`: " + line[:4000]
    return (json.loads(line[5:] or "{}"), rest), None


class Kept:
    """The first bytes of a stream; the rest is counted and dropped."""

    def __init__(self, limit):
        self.limit, self.bytes, self.total = limit, bytearray(), 0

    def add(self, piece):
        self.total += len(piece)
        if len(self.bytes) < self.limit:
            self.bytes += piece[: self.limit - len(self.bytes)]

    def text(self):
        return self.bytes.decode("utf-8", "replace")


def start_answer(job, env):
    stdin_read, stdin_write = os.pipe()
    out_read, out_write = os.pipe()
    err_read, err_write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            for source, target in ((stdin_read, 0), (out_write, 1), (err_write, 2)):
                os.dup2(source, target)
            os.closerange(3, 256)
            for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)
            os.execvpe(job["command"][0], job["command"], env)
        except BaseException as error:
            os.write(2, ("%s: %s\n" % (job["command"][0], error)).encode())
        finally:
            os._exit(127)
    for end in (stdin_read, out_write, err_write):
        os.close(end)
    return pid, stdin_write, out_read, err_read


def supervise(job, env, log, service_log):
    limit = job["outputKb"] * 1024
    started = time.monotonic()
    wake_read, wake_write = os.pipe()
    for end in (wake_read, wake_write):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    pid, stdin_write, out_read, err_read = start_answer(job, env)
    kept = {out_read: Kept(limit), err_read: Kept(limit)}
    if log is not None:
        kept[log] = service_log
    pending = memoryview(job["stdin"].encode("utf-8", "replace"))
    selector = selectors.DefaultSelector()
    selector.register(wake_read, selectors.EVENT_READ)
    for end in kept:
        os.set_blocking(end, False)
        selector.register(end, selectors.EVENT_READ)
    os.set_blocking(stdin_write, False)
    selector.register(stdin_write, selectors.EVENT_WRITE)

    def close_stdin():
        selector.unregister(stdin_write)
        os.close(stdin_write)

    def drain(end):
        try:
            piece = os.read(end, 65536)
        except BlockingIOError:
            return False
        if not piece:
            selector.unregister(end)
            return False
        kept[end].add(piece)
        return True

    killed_by = None
    exited = False
    while not exited and killed_by is None:
        left = job["seconds"] - (time.monotonic() - started)
        if left <= 0:
            killed_by = "time"
            break
        for key, _ in selector.select(left):
            if key.fd == wake_read:
                try:
                    os.read(wake_read, 4096)
                except BlockingIOError:
                    pass
            elif key.fd == stdin_write:
                try:
                    pending = pending[os.write(stdin_write, pending[:65536]) if pending else 0 :]
                except OSError:
                    pending = pending[len(pending) :]
                if not pending:
                    close_stdin()
            else:
                drain(key.fd)
        if kept[out_read].total + kept[err_read].total > limit:
            killed_by = "output"
        exited = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    # Before it is reaped, so that its group's number cannot have become another's.
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        pass
    _, status = os.waitpid(pid, 0)
    registered = selector.get_map()
    for end in (out_read, err_read):
        # A child that has left the group may hold the pipe open and go on writing: no more than the limit is waited for.
        while end in registered and kept[end].total <= limit and drain(end):
            pass
    if killed_by is None and kept[out_read].total + kept[err_read].total > limit:
        killed_by = "output"
    return {
        "exit_code": os.WEXITSTATUS(status) if os.WIFEXITED(status) and killed_by is None else None,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) and killed_by is None else None,
        "killed_by": killed_by,
        "stdout": kept[out_read].text(),
        "stderr": kept[err_read].text(),
        "ms": (time.monotonic() - started) * 1000,
    }


def stop_service(pid, log, service_log):
    """Everything it printed before now, one request's line before that request's answer, and whether it was still there."""
    alive = os.waitpid(pid, os.WNOHANG)[0] == 0
    if alive:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    os.set_blocking(log, False)
    while True:
        try:
            piece = os.read(log, 65536)
        except BlockingIOError:
            break
        if not piece:
            break
        service_log.add(piece)
    return alive


def main():
    protect()
    # An exception here means that the sandbox is broken; the answer must not be able to raise one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    job = json.load(sys.stdin.buffer)
    env = dict(os.environ)
    env.update(job["env"])
    log = service_pid = None
    service_log = Kept(SERVICE_LOG_BYTES)
    if job["service"] is not None:
        service_pid, log = start_service(job["service"])
        ready, problem = await_ready(log)
        if problem is not None:
            return {"service_failed": problem}
        variables, rest = ready
        env.update({name: str(value) for name, value in variables.items()})
        service_log.add(rest)
    try:
        report = supervise(job, env, log, service_log)
    except MemoryError:
        # This needs little: the answer, which is of the same user, has taken it away. What it cannot be is a failure of the sandbox's.
        os.kill(os.getpid(), signal.SIGKILL)
    report["service"] = []
    report["service_alive"] = None
    if service_pid is not None:
        report["service_alive"] = stop_service(service_pid, log, service_log)
        report["service"] = [line for line in service_log.text().split("\n")[:-1] if line]
    return report


report = json.dumps(main()).encode("ascii")
while report:
    report = report[os.write(1, report) :]

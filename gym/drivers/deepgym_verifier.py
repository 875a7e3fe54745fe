# The process of a DeepGym verifier. Python >= 3.8, standard library only.
#
# The answer is not in it: whoever loads the solution's file, in whichever of the usual ways, gets a module whose functions forward
# their calls over descriptor 3 to the answer's process (deepgym_answer.py) and give what came back as plain values. Programs that
# the verifier starts run there as well.
# The first frame in is {source, standalone, solution, test_cases, env, shared}. Requests go out as {id, op, …}; the last frame
# out is {op: result, kind: returned | raised | ended, …}. A program prints its result itself.
import ast
import base64
import builtins
import importlib.machinery
import importlib.util
import io
import json
import math
import os
import runpy
import struct
import subprocess
import sys
import tempfile
import threading
import types

HERE = os.path.dirname(os.path.abspath(__file__))
CHANNEL = 3
MAX_FILES = 12 << 20


def load_driver():
    spec = importlib.util.spec_from_file_location("anneal_driver", os.path.join(HERE, "driver.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


driver = load_driver()
real_compile, real_exec, real_run_path = builtins.compile, builtins.exec, runpy.run_path
real_stdout, real_stdin = sys.stdout, sys.stdin


def unsupported(what):
    """Ends a verifier that would bring the answer into this process, or out of it what cannot be said. It may not catch that."""
    channel.write({"op": "result", "kind": "unsupported", "message": what})
    os._exit(0)


class Channel:
    def __init__(self):
        self.buffer = bytearray()
        self.lock = threading.RLock()
        self.last = 0

    def write(self, message):
        body = json.dumps(message).encode("ascii")
        data = memoryview(struct.pack(">Ic", len(body) + 1, b"m") + body)
        while data:
            data = data[os.write(CHANNEL, data) :]

    def read(self):
        # What was read before a signal interrupted stays in the buffer.
        while True:
            if len(self.buffer) >= 4:
                (length,) = struct.unpack(">I", bytes(self.buffer[:4]))
                if len(self.buffer) >= 4 + length:
                    body = bytes(self.buffer[4 : 4 + length])
                    del self.buffer[: 4 + length]
                    return json.loads(body)
            piece = os.read(CHANNEL, 1 << 20)
            if not piece:
                os._exit(3)
            self.buffer += piece

    def ask(self, op, **request):
        with self.lock:
            self.last += 1
            number = self.last
            request.update(id=number, op=op)
            if sys.stdout is not real_stdout and sys.stdout is not sys.__stdout__:
                request["captured"] = True
            if sys.stdin is not real_stdin and sys.stdin is not None:
                request["stdin"] = sys.stdin.read()
            self.write(request)
            while True:
                reply = self.read()
                if reply.get("id") == number:
                    break
        printed = reply.get("printed")
        if printed and request.get("captured"):
            sys.stdout.write(printed)
        if "crash" in reply:
            raise from_answer(RuntimeError("the answer's process ended: %s" % reply["crash"]))
        if "raised" in reply:
            raise from_answer(exception(reply["raised"], reply["message"]))
        return reply


channel = Channel()


class Shown(str):
    """A KeyError shows its argument's repr, which is what the message is already."""

    def __repr__(self):
        return str.__str__(self)


def exception(name, message):
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, BaseException):
        try:
            return kind(Shown(message) if issubclass(kind, KeyError) else message)
        except Exception:
            pass
    return type(str(name), (Exception,), {})(message)


def from_answer(error):
    error.anneal_from_answer = True
    return error


def send(value):
    if isinstance(value, Remote):
        return {"h": object.__getattribute__(value, "_handle")}
    handle = getattr(value, "anneal_handle", None) if isinstance(value, types.FunctionType) else None
    if handle is not None:
        return {"h": handle}
    try:
        return {"v": driver.encode(value)}
    except driver.Unsayable:
        unsupported("a %s cannot be given to the answer" % type(value).__name__)


def receive(thing, name="value"):
    if "v" in thing:
        return driver.decode(thing["v"])
    return function(name, thing["h"]) if thing.get("call") and thing.get("type") in FUNCTION_TYPES else Remote(thing)


FUNCTION_TYPES = {"function", "method", "builtin_function_or_method", "method-wrapper"}


class Remote:
    """Something of the answer's that no plain value can say: a class, an object, an iterator."""

    def __init__(self, thing):
        object.__setattr__(self, "_handle", thing["h"])
        object.__setattr__(self, "_type", str(thing.get("type", "object")))

    def _ask(self, op, **request):
        return receive(channel.ask(op, target=object.__getattribute__(self, "_handle"), **request)["thing"])

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self._ask("get", name=name)

    def __call__(self, *args, **kwargs):
        return call(object.__getattribute__(self, "_handle"), args, kwargs)

    def __getitem__(self, key):
        return self._ask("item", key=send(key))

    def __len__(self):
        return self._ask("len")

    def __iter__(self):
        return self._ask("iter")

    def __next__(self):
        return self._ask("next")

    def __str__(self):
        return self._ask("text")

    def __repr__(self):
        return "<%s of the answer>" % object.__getattribute__(self, "_type")

    def __bool__(self):
        return True


def call(target, args, kwargs):
    reply = channel.ask(
        "call", target=target, args=[send(arg) for arg in args], kwargs={name: send(arg) for name, arg in kwargs.items()}
    )
    for arg, after in zip(args, reply.get("args") or []):
        if after is not None:
            become(arg, driver.decode(after["v"]))
    return receive(reply["thing"])


def become(arg, now):
    """An argument that the answer changed in place."""
    if type(arg) is not type(now):
        return
    if isinstance(arg, (list, bytearray)):
        arg[:] = now
    elif isinstance(arg, (dict, set)):
        arg.clear()
        arg.update(now)


class Solution:
    def __init__(self, path, text):
        self.path, self.text = os.path.realpath(path), text
        self.stripped = text.strip()
        self.lines = {line.strip() for line in text.splitlines() if len(line.strip()) >= 10}
        self.heads = {line for line in self.lines if line.startswith(("def ", "class ", "async def "))}
        self.how = None
        self.first_lines = {}
        try:
            self.dump = ast.dump(ast.parse(text))
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    self.first_lines.setdefault(node.name, node.lineno)
        except (SyntaxError, ValueError):
            self.dump = None

    def is_at(self, path):
        try:
            return os.path.realpath(os.fspath(path)) == self.path
        except TypeError:
            return False

    def load_into(self, namespace):
        for name, thing in channel.ask("load")["names"].items():
            # By name it is found again where the answer's process had to be begun anew.
            namespace[name] = receive(dict(thing, h=name) if "h" in thing else thing, name)

    def stub(self, source):
        """What to run instead of a text that contains the solution's, or None when it has nothing to do with it."""
        text = source.decode("utf-8", "surrogateescape") if isinstance(source, (bytes, bytearray)) else source
        if isinstance(text, ast.AST):
            dumped = ast.dump(text)
            if self.dump is not None and dumped == self.dump:
                return LOAD
            functions = (node for node in ast.walk(text) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
            if any(node.name in self.first_lines for node in functions):
                unsupported("the verifier compiles a changed tree of the answer; it can load the file instead")
            return None
        if not isinstance(text, str):
            return None
        if text.strip() == self.stripped:
            self.how = self.how or "alone"
            return LOAD
        if self.how != "alone" and self.stripped:
            at = self.at_lines(text)
            if at is not None:
                self.how = "within"
                return text[:at] + LOAD + text[at + len(self.stripped) :]
        lines = {line.strip() for line in text.splitlines()}
        if lines & self.heads or len(lines & self.lines) >= 3:
            unsupported("the verifier runs a text made of the answer's; it can load the file instead")
        return None

    def at_lines(self, text):
        """Where the solution stands, from the beginning of a line to the end of one."""
        at = text.find(self.stripped)
        if at < 0 or (at > 0 and text[at - 1] != "\n"):
            return None
        after = text[at + len(self.stripped) :]
        return at if after.strip(" \t\r") == "" or after.lstrip(" \t\r").startswith("\n") else None


LOAD = "__anneal_load__(globals())"


def function(name, handle):
    """A function whose source, where somebody asks for it, is that in the solution's file."""

    def forward(*args, **kwargs):
        return call(handle, args, kwargs)

    forward.__name__ = forward.__qualname__ = str(name)
    forward.__module__ = "solution"
    forward.anneal_handle = handle
    first = solution.first_lines.get(name)
    if first is not None:
        forward.__code__ = forward.__code__.replace(co_filename=solution.path, co_firstlineno=first)
    return forward


solution = None


def load(namespace):
    solution.load_into(namespace)


def patched_compile(source, filename, mode, *args, **kwargs):
    imported = sys._getframe(1).f_code.co_filename.startswith("<frozen importlib")
    only_parsed = (args[0] if args else kwargs.get("flags", 0)) & ast.PyCF_ONLY_AST
    stub = solution.stub(source) if mode == "exec" and not imported and not only_parsed else None
    return real_compile(source if stub is None else stub, filename, mode, *args, **kwargs)


def patched_exec(source, namespace=None, local=None, **kwargs):
    frame = sys._getframe(1)
    if namespace is None:
        namespace = frame.f_globals
        local = frame.f_locals if local is None else local
    if not isinstance(source, types.CodeType):
        stub = solution.stub(source)
        if stub is not None:
            source = stub
    if local is None or local is namespace:
        return real_exec(source, namespace, **kwargs)
    names = dict(namespace)
    result = real_exec(source, namespace, local, **kwargs)
    # With locals of their own the answer's names belong there.
    for name in set(namespace) - set(names) - {"__builtins__"}:
        local.setdefault(name, namespace[name])
    return result


def patched_exec_module(self, module):
    if solution.is_at(self.path):
        load(module.__dict__)
    else:
        real_exec_module(self, module)


real_exec_module = importlib.machinery.SourceFileLoader.exec_module


def patched_run_path(path, init_globals=None, run_name=None):
    if not solution.is_at(path):
        return real_run_path(path, init_globals, run_name)
    namespace = {"__name__": run_name or "<run_path>", "__file__": path}
    load(namespace)
    return namespace


class Popen:
    """subprocess.Popen, at the answer's. What has no meaning there is taken and does nothing."""

    def __init__(
        self,
        args,
        bufsize=-1,
        executable=None,
        stdin=None,
        stdout=None,
        stderr=None,
        preexec_fn=None,
        close_fds=True,
        shell=False,
        cwd=None,
        env=None,
        universal_newlines=None,
        *_,
        encoding=None,
        errors=None,
        text=None,
        **__,
    ):
        self.args, self.returncode, self.pid = args, None, 1
        self.shell, self.executable, self.cwd, self.env = shell, executable, cwd, env
        self.where = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
        self.text = bool(text or encoding or errors or universal_newlines)
        self.encoding, self.errors = encoding or "utf-8", errors or "strict"
        self.stdin = (io.StringIO() if self.text else io.BytesIO()) if stdin == subprocess.PIPE else None
        if self.stdin is not None:
            self.stdin.close = lambda: None
        self.stdout = self.stderr = None
        self.raw = {"stdout": None, "stderr": None}
        # It runs when somebody waits for it or looks at what it wrote: beside the verifier nothing runs.
        self.pending = True

    def plain(self, arg):
        return os.fsdecode(arg) if isinstance(arg, (str, bytes, os.PathLike)) else str(arg)

    def finish(self, given=None, timeout=None):
        if not self.pending:
            return
        self.pending = False
        if given is None and self.stdin is not None:
            given = self.stdin.getvalue()
        if given is None and hasattr(self.where["stdin"], "read"):
            given = self.where["stdin"].read()
        given = given.encode(self.encoding) if isinstance(given, str) else given
        args = self.args
        if not isinstance(args, str):
            args = [self.plain(arg) for arg in (args if isinstance(args, (list, tuple)) else [args])]
        env = None if self.env is None else {self.plain(name): self.plain(value) for name, value in self.env.items()}
        cwd = os.path.realpath(self.plain(self.cwd)) if self.cwd is not None else os.getcwd()
        roots = mentioned(args, env or {}, cwd)
        files = collect(roots)
        reply = channel.ask(
            "run",
            args=args,
            shell=self.shell,
            executable=self.executable,
            cwd=cwd,
            env=env,
            timeout=timeout,
            input=base64.b64encode(given or b"").decode("ascii"),
            merge=self.where["stderr"] == subprocess.STDOUT,
            files=files,
            roots=roots,
            root=ROOT,
            shared=SHARED,
        )
        put_back(files, reply["files"], roots)
        self.returncode = reply["code"]
        self.take("stdout", base64.b64decode(reply["out"]))
        self.take("stderr", base64.b64decode(reply["err"]))
        if reply["timeout"]:
            raise subprocess.TimeoutExpired(self.args, timeout, output=self.raw["stdout"], stderr=self.raw["stderr"])

    def take(self, name, content):
        where = self.where[name]
        if where == subprocess.PIPE:
            self.raw[name] = content
            shown = content.decode(self.encoding, self.errors).replace("\r\n", "\n") if self.text else content
            setattr(self, name, io.StringIO(shown) if self.text else io.BytesIO(content))
        elif hasattr(where, "write") and hasattr(where, "fileno"):
            os.write(where.fileno(), content)

    def communicate(self, input=None, timeout=None):
        self.finish(input, timeout)
        return tuple(None if stream is None else stream.read() for stream in (self.stdout, self.stderr))

    def wait(self, timeout=None):
        self.finish(None, timeout)
        return self.returncode

    def poll(self):
        return self.wait()

    def kill(self):
        self.pending = False
        if self.returncode is None:
            self.returncode = -9

    terminate = kill

    def send_signal(self, number):
        self.kill()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.pending:
            self.finish()

    def __getattribute__(self, name):
        if name in ("stdout", "stderr") and object.__getattribute__(self, "__dict__").get("pending"):
            self.finish()
        return object.__getattribute__(self, name)

    def __class_getitem__(cls, _):
        return cls


def system(command):
    process = Popen(command, shell=True)
    process.wait()
    return process.returncode << 8 if process.returncode >= 0 else -process.returncode


def popen(command, mode="r", buffering=-1):
    return io.StringIO(Popen(command, shell=True, stdout=subprocess.PIPE, text=True).communicate()[0])


ROOT, SHARED, PRIVATE = "", False, set()


def mentioned(args, env, cwd):
    """Directories and files of this process that a program is told of."""
    words = args.split() if isinstance(args, str) else args
    named = [cwd, *words, *env.values(), *(word.split("=", 1)[1] for word in words if "=" in word)]
    bases = [ROOT] if SHARED else [ROOT, os.path.realpath(tempfile.gettempdir())]
    roots = []
    for path in named:
        path = path.strip("'\"")
        path = os.path.realpath(path if os.path.isabs(path) else os.path.join(cwd, path))
        if os.path.exists(path) and any(path == base or path.startswith(base + os.sep) for base in bases):
            if path != os.path.realpath(tempfile.gettempdir()):
                roots.append(path)
    return sorted(set(roots))


def collect(roots):
    found, room, seen = [], MAX_FILES, set()
    for root in roots:
        pending = [root]
        while pending:
            path = pending.pop()
            if path in seen or path in PRIVATE or os.path.islink(path):
                continue
            seen.add(path)
            if os.path.isdir(path):
                found.append([path, 0o755, None])
                pending.extend(os.path.join(path, name) for name in sorted(os.listdir(path)))
            elif os.path.isfile(path):
                room -= os.path.getsize(path)
                if room < 0:
                    unsupported("more than %d bytes of files for a program" % MAX_FILES)
                with open(path, "rb") as file:
                    found.append([path, os.stat(path).st_mode & 0o777, base64.b64encode(file.read()).decode("ascii")])
    return found


def put_back(before, after, roots):
    """The files as the program left them. Nothing is written outside the places it was told of and new ones of its own in /tmp."""
    temporary = os.path.realpath(tempfile.gettempdir())

    def allowed(path):
        if path in PRIVATE or path == solution.path or os.path.normpath(path) != path:
            return False
        if any(path == root or path.startswith(root + os.sep) for root in roots):
            return True
        if SHARED or not path.startswith(temporary + os.sep):
            return False
        return os.path.join(temporary, path[len(temporary) + 1 :].split(os.sep)[0]) not in existing

    existing = {os.path.join(temporary, name) for name in os.listdir(temporary)}
    kept = {path for path, _, _ in after}
    for path, _, content in reversed(before):
        if path not in kept and allowed(path):
            if content is not None:
                os.unlink(path)
            else:
                try:
                    os.rmdir(path)
                except OSError:
                    pass
    for path, mode, content in after:
        if not allowed(path):
            continue
        if content is None:
            os.makedirs(path, exist_ok=True)
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(base64.b64decode(content))
            os.chmod(path, mode | 0o600)


def run_body(source, path, cases):
    """The text as the body of a function. Its statements are moved, not its lines, so that texts over several lines stay as they are."""
    tree = ast.parse(source, path)
    future = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    wrapper = ast.parse("def _run_verifier(solution_path, test_cases_path=None): pass", path)
    wrapper.body[0].body = [node for node in tree.body if node not in future] or wrapper.body[0].body
    wrapper.body[:0] = future
    namespace = {"__name__": "verifier", "__file__": path, "json": json, "sys": sys, "os": os, "importlib": importlib}
    real_exec(real_compile(ast.fix_missing_locations(wrapper), path, "exec", dont_inherit=True), namespace)
    return as_result(namespace["_run_verifier"](solution.path, cases))


def as_result(returned):
    if isinstance(returned, bool):
        return {"score": 1.0 if returned else 0.0, "passed": returned}
    if isinstance(returned, (int, float)):
        return {"score": clamp(returned), "passed": returned >= 0.5}
    if isinstance(returned, dict):
        result = {key: returned[key] for key in ("details", "reward_components", "metrics", "seed", "cases", "truncated") if key in returned}
        result["score"] = clamp(returned.get("score", 0.0))
        result["passed"] = bool(returned.get("passed", False))
        return result
    return {"score": 0.0, "passed": False, "details": "Unexpected return type: %s" % type(returned).__name__}


def clamp(score):
    score = float(score)
    if math.isnan(score):
        raise ValueError("the score is not a number")
    return max(0.0, min(1.0, score))


def run_program(source, path):
    module = types.ModuleType("__main__")
    module.__file__ = path
    sys.modules["__main__"] = module
    real_exec(real_compile(source, path, "exec", dont_inherit=True), module.__dict__)


def main():
    global solution, ROOT, SHARED
    start = channel.read()
    ROOT = os.path.realpath(os.getcwd())
    SHARED = start["shared"]
    path = os.path.join(ROOT, "verifier.py")
    cases = None if start["test_cases"] is None else os.path.join(ROOT, "test_cases.json")
    for name, text in (("verifier.py", start["source"]), ("solution.py", start["solution"])):
        with open(os.path.join(ROOT, name), "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(text)
    if cases is not None:
        with open(cases, "w", encoding="utf-8") as file:
            json.dump(start["test_cases"], file)
    PRIVATE.update({path, cases})
    solution = Solution(os.path.join(ROOT, "solution.py"), start["solution"])
    sys.argv = [path, solution.path] + ([] if cases is None else [cases])
    sys.path.insert(0, ROOT)
    os.environ.update(start["env"])
    builtins.__anneal_load__ = load
    builtins.compile, builtins.exec, runpy.run_path = patched_compile, patched_exec, patched_run_path
    importlib.machinery.SourceFileLoader.exec_module = patched_exec_module
    subprocess.Popen, os.system, os.popen = Popen, system, popen
    try:
        if start["standalone"]:
            run_program(start["source"], path)
            result = {"kind": "ended"}
        else:
            result = {"kind": "returned", "result": run_body(start["source"], path, cases)}
    except BaseException as error:
        if isinstance(error, SystemExit) and not getattr(error, "anneal_from_answer", False):
            result = {"kind": "ended"}
        else:
            result = raised(error)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        pass
    try:
        channel.write(dict(result, op="result"))
    except (TypeError, ValueError) as error:
        channel.write(dict(raised(error), op="result"))
    os._exit(0)


def raised(error):
    import traceback

    kind, message = driver.described(error)
    seen, cause = False, error
    for _ in range(10):
        seen = seen or getattr(cause, "anneal_from_answer", False) is True
        cause = cause and (cause.__cause__ or cause.__context__)
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    return {
        "kind": "raised",
        "type": kind,
        "message": message,
        "answer": seen,
        "traceback": "".join(lines)[-4000:],
    }


main()

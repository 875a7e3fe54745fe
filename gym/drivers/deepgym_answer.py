# The process of an answer that a DeepGym verifier judges. Python >= 3.8, standard library only.
#
# It gets requests over descriptor 3 and answers each. A frame is four bytes of length, big endian, and JSON, before which stands the
# letter m on the way out. First comes {solution}, then
#   {id, op: load}                                   -> {names: {name: Thing}, out}
#   {id, op: call, target, args, kwargs}             -> {thing, args, out}   args as they are afterwards, null where they did not change
#   {id, op: get | item | len | iter | next | text, target, name?, key?} -> {thing}
#   {id, op: run, args, shell, input, env, cwd, timeout, merge, files, roots} -> {code, out, err, timeout, files}
# or {raised: type, message}. A Thing is {v: Value}, or {h: number, call: bool, type: name} for what no Value can say.
# Whatever stands in a reply the answer may have made up.
import base64
import importlib.util
import io
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CHANNEL = 3
MAX_OUTPUT = 1 << 20
MAX_FILES = 12 << 20


def load_driver():
    spec = importlib.util.spec_from_file_location("anneal_driver", os.path.join(HERE, "driver.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


driver = load_driver()


def read_exactly(count):
    pieces = []
    while count > 0:
        piece = os.read(CHANNEL, min(count, 1 << 20))
        if not piece:
            os._exit(0)
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)


def read_frame():
    return json.loads(read_exactly(struct.unpack(">I", read_exactly(4))[0]))


def write_frame(message, dumps=json.dumps, write=os.write, pack=struct.pack):
    # What the answer does to these modules is its own business.
    body = dumps(message).encode("ascii")
    data = memoryview(pack(">Ic", len(body) + 1, b"m") + body)
    while data:
        data = data[write(CHANNEL, data) :]


class Answer:
    def __init__(self, solution):
        self.path = os.path.join(os.getcwd(), "solution.py")
        self.solution = solution
        with open(self.path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(solution)
        self.module = None
        self.handles = {}

    def thing(self, value):
        try:
            return {"v": driver.encode(value)}
        except driver.Unsayable:
            number = len(self.handles) + 1
            self.handles[number] = value
            return {"h": number, "call": callable(value), "type": str(type(value).__name__)}

    def value(self, thing):
        return self.held(thing["h"]) if "h" in thing else driver.decode(thing["v"])

    def held(self, handle):
        """What a number stands for, or a name of the module's."""
        return self.handles[handle] if isinstance(handle, int) else getattr(self.load(), handle)

    def load(self):
        if self.module is None:
            spec = importlib.util.spec_from_file_location("solution", self.path)
            module = importlib.util.module_from_spec(spec)
            sys.modules["solution"] = module
            sys.path.insert(0, os.getcwd())
            exec(compile(self.solution, self.path, "exec", dont_inherit=True), module.__dict__)
            self.module = module
        return self.module

    def do(self, request):
        op = request["op"]
        if op == "load":
            names = {}
            for name, value in list(vars(self.load()).items()):
                if not name.startswith("__") and type(value) is not type(sys):
                    names[name] = self.thing(value)
            return {"names": names}
        if op == "run":
            return run(request, self)
        target = self.held(request["target"])
        if op == "call":
            args = [self.value(arg) for arg in request["args"]]
            kwargs = {name: self.value(arg) for name, arg in request["kwargs"].items()}
            returned = target(*args, **kwargs)
            after = [None if "h" in sent else self.changed(arg, sent) for arg, sent in zip(args, request["args"])]
            return {"thing": self.thing(returned), "args": after}
        if op == "get":
            return {"thing": self.thing(getattr(target, request["name"]))}
        if op == "item":
            return {"thing": self.thing(target[self.value(request["key"])])}
        if op == "len":
            return {"thing": self.thing(len(target))}
        if op == "iter":
            return {"thing": self.thing(iter(target))}
        if op == "next":
            return {"thing": self.thing(next(target))}
        if op == "text":
            return {"thing": self.thing(str(target))}
        raise ValueError("no such request: %s" % op)

    @staticmethod
    def changed(arg, sent):
        """What an argument that can change has become."""
        if not isinstance(arg, (list, dict, set, bytearray)):
            return None
        try:
            now = driver.encode(arg)
        except driver.Unsayable:
            return None
        return None if now == sent["v"] else {"v": now}


def run(request, answer):
    """A program, with the files it is to find. The directory of the verifier is this one's."""
    own, theirs = os.getcwd(), request["root"]

    def here(text):
        return text.replace(theirs, own) if own != theirs else text

    before = set(os.listdir("/tmp")) if not request["shared"] else set()
    for path, mode, content in request["files"]:
        path = here(path)
        if content is None:
            os.makedirs(path, exist_ok=True)
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(base64.b64decode(content))
            os.chmod(path, mode)
    args = request["args"]
    args = here(args) if isinstance(args, str) else [here(arg) for arg in args]
    env = None if request["env"] is None else {name: here(value) for name, value in request["env"].items()}
    with tempfile.TemporaryFile(dir=own) as out, tempfile.TemporaryFile(dir=own) as err, tempfile.TemporaryFile(dir=own) as given:
        given.write(base64.b64decode(request["input"] or ""))
        given.seek(0)
        process = subprocess.Popen(
            args,
            shell=request["shell"],
            executable=request["executable"],
            stdin=given,
            stdout=out,
            stderr=out if request["merge"] else err,
            env=env,
            cwd=here(request["cwd"]),
            start_new_session=True,
        )
        late = False
        try:
            process.wait(request["timeout"])
        except subprocess.TimeoutExpired:
            late = True
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            pass
        process.wait()

        def text(file):
            file.seek(0)
            return base64.b64encode(file.read(MAX_OUTPUT)).decode("ascii")

        roots = [here(root) for root in request["roots"]]
        if not request["shared"]:
            roots += [os.path.join("/tmp", name) for name in os.listdir("/tmp") if name not in before]
        files = collect(roots, {os.path.join(own, "solution.py")})
        back = [[path.replace(own, theirs), mode, content] for path, mode, content in files] if own != theirs else files
        return {"code": process.returncode, "out": text(out), "err": text(err), "timeout": late, "files": back}


def collect(roots, leave_out):
    """Regular files and directories below some paths, as [path, mode, content or None]. Links are left out."""
    found, room, seen = [], MAX_FILES, set()
    for root in roots:
        pending = [root]
        while pending:
            path = pending.pop()
            if path in seen or path in leave_out or os.path.islink(path):
                continue
            seen.add(path)
            if os.path.isdir(path):
                found.append([path, 0o755, None])
                pending.extend(os.path.join(path, name) for name in sorted(os.listdir(path)))
            elif os.path.isfile(path):
                room -= os.path.getsize(path)
                if room < 0:
                    raise OSError("more than %d bytes of files" % MAX_FILES)
                with open(path, "rb") as file:
                    found.append([path, os.stat(path).st_mode & 0o777, base64.b64encode(file.read()).decode("ascii")])
    return found


def main():
    answer = Answer(read_frame()["solution"])
    while True:
        request = read_frame()
        given, printed = request.get("stdin"), io.StringIO()
        before = sys.stdin, sys.stdout
        try:
            if request.get("captured"):
                sys.stdout = printed
            if given is not None:
                sys.stdin = io.StringIO(given)
            reply = answer.do(request)
        except BaseException as error:
            kind, message = driver.described(error)
            reply = {"raised": kind, "message": message}
        finally:
            sys.stdin, sys.stdout = before
        reply["id"] = request["id"]
        reply["printed"] = printed.getvalue()[:MAX_OUTPUT]
        write_frame(reply)


main()

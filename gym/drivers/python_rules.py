"""What a Python text breaks of a list of rules. The text is parsed, never run."""

import ast

METHOD_OWNERS = {
    "list", "dict", "set", "frozenset", "str", "bytes", "bytearray", "tuple", "int", "float", "object", "deque", "any",
}
# Ways to reach a thing without writing its name. Where something is forbidden, so are these.
HIDING_NAMES = {"eval", "exec", "compile", "__import__", "globals", "locals", "vars", "__builtins__", "breakpoint"}
HIDING_ATTRIBUTES = {
    "__dict__", "__getattribute__", "__globals__", "__builtins__", "__subclasses__", "__code__", "__self__",
    "f_globals", "f_builtins", "f_locals", "get_field", "get_type_hints", "ForwardRef", "_evaluate",
}
HIDING_MODULES = {
    "importlib", "builtins", "imp", "pkgutil", "runpy", "ctypes", "gc", "inspect", "pickle", "_pickle", "marshal", "shelve", "code",
    "codeop", "timeit", "doctest", "pdb", "bdb", "trace", "profile", "cProfile", "pydoc", "unittest", "subprocess", "pty", "multiprocessing",
}
# Where another module has imported them: `typing.sys`.
SEEN_ELSEWHERE = {"sys", "builtins", "importlib", "ctypes", "gc", "inspect", "pickle", "subprocess"}
# By another program.
HIDING_MEMBERS = {"os": {"system", "popen"}}
HIDING_PREFIXES = {"os": ("exec", "spawn", "posix_spawn")}
BY_NAME_CALLS = {"getattr", "hasattr", "setattr", "attrgetter", "methodcaller"}


def broken_rules(source, forbid, require, function):
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    broken = []
    if forbid:
        broken.extend(Forbidden(tree, forbid).find())
    if require:
        broken.extend(missing(tree, require, function))
    return broken


def constant_text(node):
    """The text of an expression of literals: 'so' + 'rt'. None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = constant_text(node.left), constant_text(node.right)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.JoinedStr):
        parts = [constant_text(part.value if isinstance(part, ast.FormattedValue) else part) for part in node.values]
        return None if None in parts else "".join(parts)
    return None


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Forbidden:
    def __init__(self, tree, forbid):
        self.tree = tree
        self.names, self.methods, self.members, self.modules = set(), set(), {}, set()
        for rule in forbid:
            if rule.startswith("import "):
                self.modules.add(rule[len("import "):].strip())
            elif "." in rule:
                owner, member = rule.rsplit(".", 1)
                if owner in METHOD_OWNERS:
                    self.methods.add(member)
                else:
                    self.members.setdefault(owner, set()).add(member)
            else:
                self.names.add(rule)
        self.found = {}
        self.called = set()
        # What a name of this text stands for: `h` for the module heapq.
        self.aliases = {}
        # Functions and classes that the text defines at its top, by name.
        self.own = {
            node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
                self.own.pop(node.id, None)
            # The end of its block deletes the name.
            elif isinstance(node, ast.ExceptHandler) and node.name is not None:
                self.own.pop(node.name, None)

    def report(self, what, node):
        self.found.setdefault("uses %s" % what, getattr(node, "lineno", 0))

    def find(self):
        for node in ast.walk(self.tree):
            self.collect_aliases(node)
        # x = h; y = x
        for _ in range(3):
            for node in ast.walk(self.tree):
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in self.aliases:
                    for target in node.targets:
                        if isinstance(target, ast.Name):
                            self.aliases.setdefault(target.id, self.aliases[node.value.id])
        self.visit(self.tree, [])
        return ["%s (line %d)" % (what, line) for what, line in self.found.items()]

    def collect_aliases(self, node):
        if isinstance(node, ast.Import):
            for name in node.names:
                top = name.name.split(".")[0]
                self.aliases[name.asname or top] = name.name if name.asname else top
                self.check_module(name.name, node)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            self.check_module(module, node)
            for name in node.names:
                self.check_module("%s.%s" % (module, name.name), node, exact=True)
                self.aliases[name.asname or name.name] = "%s.%s" % (module, name.name)
                if name.name == "*" and module in self.members:
                    self.report("%s.*" % module, node)
                self.of_module(module, name.name, node)
                if name.name in HIDING_ATTRIBUTES or (module, name.name) == ("sys", "modules"):
                    self.report(name.name, node)

    def check_module(self, name, node, exact=False):
        for module in self.modules:
            if name == module or (not exact and name.startswith(module + ".")):
                self.report("import %s" % module, node)
        if name.split(".")[0] in HIDING_MODULES and not exact:
            self.report("import %s" % name.split(".")[0], node)

    def of_module(self, module, name, node):
        """A member of a module, which may be another module, or what the module has imported itself: `textwrap.re`."""
        if name in self.members.get(module, ()) or name in HIDING_MEMBERS.get(module, ()):
            self.report("%s.%s" % (module, name), node)
        if name.startswith(HIDING_PREFIXES.get(module, ())):
            self.report("%s.%s" % (module, name), node)
        if name in self.names or name.lstrip("_") in self.modules | SEEN_ELSEWHERE:
            self.report("%s.%s" % (module, name), node)

    def local(self, name, scopes):
        """Whether a function around the place binds the name, so that it cannot be the built-in one."""
        for scope in reversed(scopes):
            if isinstance(scope, ast.ClassDef):
                # What a class binds is looked for in the class, then among the built-in names, never in the functions around it.
                if scope is scopes[-1] and name in bound_in(scope):
                    return False
            elif name in declared_global(scope):
                return False
            elif name in bound_in(scope):
                return True
        return False

    def its_own(self, name, node, functions):
        if self.local(name, functions):
            return True
        own = self.own.get(name)
        if own is None:
            return False
        # A class, and what a decorator calls, is run before the name is bound.
        if not isinstance(own, ast.ClassDef) and not own.decorator_list and any(own is part for part in functions):
            return True
        return own.end_lineno < node.lineno

    def visit(self, node, functions):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if (node.id in self.names or node.id in HIDING_NAMES) and not self.its_own(node.id, node, functions):
                self.report(node.id, node)
        elif isinstance(node, ast.Attribute):
            self.attribute(node, node.attr, node.value)
        elif isinstance(node, ast.Call):
            self.by_name(node)
            self.called.add(id(node.func))
        by_name = self.by_name_call(node)
        if by_name is not None and id(node) not in self.called:
            self.report("%s without calling it" % by_name, node)
        if type(node).__name__ == "MatchClass":
            for name in node.kwd_attrs:
                self.attribute(node, name, node.cls)
        if isinstance(node, ast.Name) and node.id == "__match_args__":
            self.report(node.id, node)
        if isinstance(node, FUNCTIONS):
            # Defaults, decorators and annotations belong to the scope around the function.
            body = node.body if isinstance(node.body, list) else [node.body]
            inside = {id(part) for part in body}
            for child in ast.iter_child_nodes(node):
                self.visit(child, functions + [node] if id(child) in inside else functions)
        elif isinstance(node, ast.ClassDef):
            inside = {id(part) for part in node.body}
            for child in ast.iter_child_nodes(node):
                self.visit(child, functions + [node] if id(child) in inside else functions)
        else:
            for child in ast.iter_child_nodes(node):
                self.visit(child, functions)

    def by_name_call(self, node):
        """What a name or an attribute stands for, where it takes an attribute by its name."""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            name = self.aliases.get(node.id, node.id).rsplit(".", 1)[-1]
        elif isinstance(node, ast.Attribute) and self.module_of(node.value) is not None:
            name = node.attr
        else:
            return None
        return name if name in BY_NAME_CALLS else None

    def attribute(self, node, name, owner):
        if name in self.methods:
            self.report(".%s" % name, node)
        if name in HIDING_ATTRIBUTES:
            self.report(".%s" % name, node)
        module = self.module_of(owner)
        if module is not None:
            self.of_module(module, name, node)
        if name == "modules" and not (isinstance(owner, ast.Name) and owner.id == "self"):
            self.report("sys.modules", node)

    def module_of(self, node):
        if isinstance(node, ast.Name):
            return self.aliases.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.module_of(node.value)
            return None if owner is None else "%s.%s" % (owner, node.attr)
        return None

    def by_name(self, node):
        callee = None
        if isinstance(node.func, ast.Name):
            callee = self.aliases.get(node.func.id, node.func.id).rsplit(".", 1)[-1]
        elif isinstance(node.func, ast.Attribute):
            callee = node.func.attr
        if callee not in BY_NAME_CALLS:
            return
        place = 0 if callee in ("attrgetter", "methodcaller") else 1
        if len(node.args) <= place:
            return
        name = constant_text(node.args[place])
        if name is None:
            self.report("%s with a computed name" % callee, node)
            return
        for part in name.split("."):
            if part in self.names:
                self.report(part, node)
            self.attribute(node, part, node.args[0])


def bound_in(function):
    """Names that are local to a function, whatever happens."""
    cached = getattr(function, "_bound", None)
    if cached is not None:
        return cached
    names = set()
    if not isinstance(function, ast.ClassDef):
        arguments = function.args
        names |= {one.arg for one in arguments.args + arguments.kwonlyargs + getattr(arguments, "posonlyargs", [])}
        names |= {one.arg for one in (arguments.vararg, arguments.kwarg) if one is not None}
    outside = set()
    # A local that may be deleted raises when it is read; it never falls back to the built-in.
    pending = list(function.body) if isinstance(function.body, list) else []
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
            continue
        if isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            continue
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            outside.update(node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        pending.extend(ast.iter_child_nodes(node))
    # What is bound to a name that the function reads first is an error; what is imported is looked at by the import itself.
    function._bound = names - outside
    return function._bound


def declared_global(function):
    cached = getattr(function, "_global", None)
    if cached is None:
        body = function.body if isinstance(function.body, list) else []
        cached = function._global = {
            name for part in body for node in ast.walk(part) if isinstance(node, ast.Global) for name in node.names
        }
    return cached


LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def missing(tree, require, function):
    defined = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            defined.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    defined.setdefault(target.id, []).append(node.value)
    calls = {name: used_in(nodes, defined) for name, nodes in defined.items()}
    reached = reachable(function, calls) | ({function} & set(defined))
    # A function that is made in a way this does not see: everything counts.
    roots = [node for name in reached for node in defined[name]] or [tree]
    parts = [part for root in roots for part in ast.walk(root)]
    present = {
        "loop": any(isinstance(part, LOOPS) for part in parts),
        "comparison": any(isinstance(part, ast.Compare) and any(isinstance(op, COMPARISONS) for op in part.ops) for part in parts),
        "function": bool(defined),
        "recursion": any(name in reachable(name, calls) for name in (reached or defined)),
    }
    return ["has no %s" % what for what in require if not present.get(what, False)]


def used_in(nodes, defined):
    used = set()
    for root in nodes:
        for node in ast.walk(root):
            if isinstance(node, ast.Name) and node.id in defined:
                used.add(node.id)
            elif isinstance(node, ast.Attribute) and node.attr in defined:
                used.add(node.attr)
    return used


def reachable(name, calls):
    found, pending = set(), list(calls.get(name, ()))
    while pending:
        one = pending.pop()
        if one not in found:
            found.add(one)
            pending.extend(calls.get(one, ()))
    return found

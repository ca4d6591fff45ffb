# SPDX-License-Identifier: Apache-2.0
"""What stands out in a candidate's source, found in its syntax tree. It explains a verdict and sends a person to look;
it decides nothing, because every name here has an honest use."""

from __future__ import annotations

import ast

from stitchcuda_source.facts import Fact

_CALLS = {
    "exec": "runs text as code (exec)",
    "eval": "runs text as code (eval)",
    "compile": "compiles text to code",
    "__import__": "imports by a computed name",
    "open": "opens a file",
    "globals": "reaches into its globals",
    "setattr": "sets an attribute by name",
    "importlib.import_module": "imports by a computed name",
    "base64.b64decode": "decodes base64",
    "zlib.decompress": "decompresses data",
    "marshal.loads": "unpacks code",
    "pickle.loads": "unpacks objects",
    "gc.get_objects": "lists every object of the process",
    "gc.get_referrers": "looks for who holds an object",
    "sys._getframe": "reads its callers' frames",
    "inspect.currentframe": "reads its callers' frames",
    "inspect.stack": "reads its callers' frames",
    "os.system": "starts a process",
    "os.fork": "starts a process",
    "os._exit": "ends the process",
    "os.kill": "sends a signal",
    "time.sleep": "sleeps",
    "torch.manual_seed": "sets the seed",
    "torch.compile": "has PyTorch compile",
    "torch.jit.script": "has PyTorch compile",
    "torch.jit.trace": "has PyTorch compile",
    "torch.set_default_dtype": "changes PyTorch's defaults",
    "torch.use_deterministic_algorithms": "changes PyTorch's defaults",
    "torch.set_float32_matmul_precision": "changes PyTorch's defaults",
}
_PREFIXES = {
    "subprocess.": "starts a process",
    "socket.": "uses the network",
    "urllib.": "uses the network",
    "requests.": "uses the network",
    "shutil.": "works on files",
    "multiprocessing.": "starts a process",
    "torch.nn.functional.": "calls torch.nn.functional",
}
_ATTRIBUTES = {
    "sys.modules": "reaches into the loaded modules",
    "torch.backends": "changes PyTorch's switches",
    "builtins": "reaches into Python's builtins",
}
_NAMES = {"__torch_function__", "__torch_dispatch__", "_make_subclass", "_make_wrapper_subclass"}
# What honest candidates do every day: it is told, but sends nobody to look.
_ONLY_TOLD = ("sets an attribute by name", "calls torch.nn.functional", "goes another way where an exception is raised")


def source_facts(tree: ast.Module, file: str) -> list[Fact]:
    """In the order of their lines, each once."""
    finder = _Finder(file)
    try:
        finder.learn(tree)
        finder.visit(tree)
    except RecursionError:  # what cannot be explained is no failure: it runs, or it does not
        finder.facts.append(Fact(file, 1, "nests too deeply to be looked through", audit=True))
    return sorted(set(finder.facts), key=lambda fact: (fact.line, fact.what))


class _Finder(ast.NodeVisitor):
    def __init__(self, file: str) -> None:
        self.facts: list[Fact] = []
        self._file = file
        self._aliases: dict[str, str] = {}

    def learn(self, tree: ast.Module) -> None:
        """What every imported or assigned name stands for, so that `import torch as t; f = t.relu` is torch.relu."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    name = alias.asname or alias.name.split(".")[0]
                    self._aliases[name] = alias.name if alias.asname else name
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self._aliases[alias.asname or alias.name] = f"{node.module or ''}.{alias.name}"
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                path = self._path(node.value)
                if "." in path and node.targets[0].id not in self._aliases:
                    self._aliases[node.targets[0].id] = path

    def _path(self, node: ast.AST) -> str:
        """The dotted name that an expression reaches, aliases and getattr(x, "name") resolved; "" for others."""
        if isinstance(node, ast.Name):
            return self._aliases.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            owner = self._path(node.value)
            return f"{owner}.{node.attr}" if owner else ""
        if isinstance(node, ast.Call) and self._path(node.func) == "getattr" and len(node.args) > 1:
            owner, name = self._path(node.args[0]), _text(node.args[1])
            return f"{owner}.{name}" if owner and name else ""
        return ""

    def _tell(self, node: ast.AST, what: str) -> None:
        audit = not what.startswith(_ONLY_TOLD)
        self.facts.append(Fact(self._file, getattr(node, "lineno", 0), what, audit))

    def visit_Call(self, node: ast.Call) -> None:  # noqa: N802 - ast's own name
        """Calls by what they resolve to."""
        path = self._path(node.func)
        if path in _CALLS:
            self._tell(node, _CALLS[path])
        for prefix, what in _PREFIXES.items():
            if path.startswith(prefix):
                self._tell(node, f"{what} ({path})")
        if path == "getattr" and len(node.args) > 1 and not _text(node.args[1]):
            self._tell(node, "reads an attribute by a computed name")
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:  # noqa: N802
        """Names that need no call."""
        path = self._path(node)
        for name, what in _ATTRIBUTES.items():
            if path == name or path.startswith(name + "."):
                self._tell(node, what)
        if node.attr in ("f_locals", "f_globals", "f_back", "__closure__", "__code__"):
            self._tell(node, f"reads {node.attr}")
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:  # noqa: N802
        """Hooks into PyTorch's own calls."""
        if node.name in _NAMES:
            self._tell(node, f"defines {node.name}")
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:  # noqa: N802
        """A ModelNew that is the reference, or a tensor that is none."""
        for base in node.bases:
            path = self._path(base)
            if path in ("torch.Tensor", "torch.nn.Parameter", "torch.nn.parameter.Parameter"):
                self._tell(node, f"derives {node.name} from {path}")
            if node.name == "ModelNew" and path == "Model":
                self._tell(node, "derives ModelNew from the reference")
        self.generic_visit(node)

    def visit_Try(self, node: ast.Try) -> None:  # noqa: N802
        """An except branch that does the work in another way."""
        for handler in node.handlers:
            calls = [n for n in ast.walk(handler) if isinstance(n, (ast.Call, ast.BinOp))]
            if calls and any(isinstance(n, (ast.Return, ast.Assign)) for n in ast.walk(handler)):
                self._tell(handler, "goes another way where an exception is raised")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:  # noqa: N802
        """Answers or code in a string."""
        if isinstance(node.value, (str, bytes)) and len(node.value) > 200_000:
            self._tell(node, f"holds a literal of {len(node.value)} characters")


def _text(node: ast.AST) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""

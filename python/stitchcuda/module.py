# SPDX-License-Identifier: Apache-2.0
"""What optimize() returns: the user's own module, whose forward is the compiled program."""

from __future__ import annotations

import ast
import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import nn

from .calls import Arguments
from .capture import FOLDER
from .errors import InternalError, ProgramError, UsageError
from .places import runtime
from .report import Report
from .verdict import Verdict

if TYPE_CHECKING:
    ProgramModule: Any = nn.Module
else:
    ProgramModule = runtime().ProgramModule


class Optimized(ProgramModule):  # type: ignore[misc]
    """A module of the class that was handed over, sharing its parameters, buffers and submodules: writing to them, or
    load_state_dict(), acts on both. Calls run the compiled program; they need no gradient. `verdict` says how it was
    verified, `report` where to read more, `folder` is the standalone project."""

    verdict: Verdict
    report: Report
    folder: str

    def forward(self, *arguments: Any, **keywords: Any) -> Any:
        """Takes what the module takes. Raises stitchcuda.Refused for other shapes, types, devices and modes."""
        given = self.__dict__["_stitchcuda_arguments"].in_order(arguments, keywords)
        return super().forward(*given)

    def save(self, folder: str | os.PathLike[str]) -> str:
        """Copies the project with everything that it needs into `folder`, which must be new or empty; model_new.py
        there loads without this process. Returns the folder."""
        target = os.path.abspath(os.fspath(folder))
        if os.path.isdir(target) and os.listdir(target):
            raise UsageError(f"{target} is not empty", "", "Name a new folder.", "usage")
        shutil.copytree(self.folder, target, dirs_exist_ok=True)
        _point_task_to(target)
        return target

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


def _point_task_to(folder: str) -> None:
    """The program that the copy was made from lies in the copy."""
    path = Path(folder, "task.json")
    task = json.loads(path.read_text(encoding="utf-8"))
    task["file"] = os.path.join(folder, FOLDER, os.path.basename(task["file"]))
    path.write_text(json.dumps(task, indent=1) + "\n", encoding="utf-8")


def assemble(model: Any, arguments: Arguments, names: dict[str, type], folder: str, verdict: Verdict) -> Optimized:
    """The optimised module of `model`, computed by the project in `folder`."""
    contract = _contract(folder, names)
    kind = type(model) if isinstance(model, nn.Module) else nn.Module
    bases = (Optimized,) if kind is nn.Module else (Optimized, kind)
    members = {"_stitchcuda_contract": contract, "__module__": __name__, "__doc__": kind.__doc__}
    made: Optimized = object.__new__(type(f"Optimized{kind.__name__}", bases, members))
    if isinstance(model, nn.Module):
        made.__dict__.update(model.__dict__)  # the very same tables of parameters, buffers and submodules
    else:
        nn.Module.__init__(made)
    made.__dict__.update(
        _stitchcuda_arguments=arguments,
        verdict=verdict,
        report=Report(folder, verdict),
        folder=folder,
    )
    runtime().finish(made)
    return made


def _contract(folder: str, names: dict[str, type]) -> Any:
    """The contract that model_new.py states, without what it runs to construct the module: that one is here."""
    path = os.path.join(folder, "model_new.py")
    if not os.path.isfile(path):
        sentence = "what the module takes or returns cannot be written down as Python"
        remedy = "Use tuples, lists, dicts, named tuples, numbers and tensors."
        raise ProgramError(sentence, folder, remedy, "program_invalid")
    with open(path, encoding="utf-8") as stream:
        tree = ast.parse(stream.read())
    for statement in ast.walk(tree):
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "_stitchcuda_contract":
            space = {"_stitchcuda": runtime(), "_stitchcuda_folder": folder, "torch": __import__("torch"), **names}
            return eval(compile(ast.Expression(statement.value), path, "eval"), space)
    raise InternalError("model_new.py states no contract", path)

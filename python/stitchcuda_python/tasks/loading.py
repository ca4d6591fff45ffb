# SPDX-License-Identifier: Apache-2.0
"""A program in KernelBench's form from its text: run with other integers, its module made, its inputs drawn."""

from __future__ import annotations

import linecache
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from ..failures import PROGRAM_INVALID, Failure, from_user_code
from ..program.source import override_constants, parse_source

NAME = "stitchcuda_task"


class Unfit(Exception):
    """By which filter a program falls, and why."""

    def __init__(self, filter_name: str, why: str) -> None:
        super().__init__(why)
        self.filter_name = filter_name
        self.why = why


@dataclass
class Loaded:
    """A module with what draws its inputs."""

    namespace: dict[str, Any]
    module: nn.Module

    def inputs(self) -> list[Any]:
        """What get_inputs() returns now, by torch's default generator."""
        return list(self.namespace["get_inputs"]())


@contextmanager
def told(doing: str, file: str) -> Iterator[None]:
    """Whatever the program raises inside becomes a Failure by its own line."""
    try:
        yield
    except (Failure, Unfit):
        raise
    except Exception as error:
        raise from_user_code(error, doing, file, "Mend it, or leave the task out.") from error


def load(text: str, file: str, overrides: dict[str, int] | None = None) -> Loaded:
    """Runs `text` as a module of its own and constructs Model(*get_init_inputs()). `file` is what errors call it."""
    tree = parse_source(text, file)
    override_constants(tree, overrides or {}, file)
    # TorchDynamo and inspect look lines up by the file's name, which need not exist.
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = types.ModuleType(NAME)
    module.__file__ = file
    names = module.__dict__
    with told("being imported", file):
        exec(compile(tree, file, "exec"), names)
    for needed in ("Model", "get_inputs"):
        if not callable(names.get(needed)):
            raise Failure(PROGRAM_INVALID, f"{file} defines no {needed}.", file, "Write it in KernelBench's form.")
    with told("constructing Model", file):
        arguments = names["get_init_inputs"]() if callable(names.get("get_init_inputs")) else []
        made = names["Model"](**arguments) if isinstance(arguments, dict) else names["Model"](*arguments)
    if not isinstance(made, nn.Module):
        raise Failure(PROGRAM_INVALID, f"Model of {file} is no torch.nn.Module.", file, "Derive it from nn.Module.")
    return Loaded(names, made)


def load_without_data(text: str, file: str, overrides: dict[str, int] | None = None) -> tuple[Loaded, list[Any]]:
    """The same on the meta device: shapes alone, nothing is allocated. With the inputs."""
    with torch.device("meta"):
        loaded = load(text, file, overrides)
        with told("running get_inputs()", file):
            inputs = loaded.inputs()
    return loaded, inputs

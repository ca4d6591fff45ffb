# SPDX-License-Identifier: Apache-2.0
"""stitchcuda.optimize: a live module in, a module that computes the same by verified CUDA out."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from typing import Any, Literal

import torch
from torch import nn

from .calls import Arguments, example_of, signature_of
from .capture import capture, program_name, refuse_others
from .command import run
from .errors import NotVerified
from .module import Optimized, assemble
from .progress import shower
from .verdict import read_verdict

Math = Literal["fp32", "kernelbench", "tf32", "reduced"]


def optimize(
    model: nn.Module | Callable[..., Any],
    example_inputs: Any,
    *,
    example_kwargs: Mapping[str, Any] | None = None,
    math: Math = "fp32",
    device: Literal["auto", "gpu", "emulated"] = "auto",
    out: str | os.PathLike[str] | None = None,
    train: bool | None = None,
    scale: Literal["auto", "full", "small"] = "auto",
    seed: int | None = None,
    progress: bool | Callable[[str], None] | None = None,
    compile_for_gpu: bool = True,
) -> Optimized:
    """Turns `model`, a module that you hold or a function of tensors, into one whose forward is verified CUDA.

    `example_inputs`: what the module is called with: a tensor, or a tuple of arguments; with `example_kwargs` for those
    that are given by name. Or a function that returns them, drawn anew at each call: then every verification draws as
    you do, instead of mixing the rows of one example.

    `math`, `device`, `scale` and `out` are the command line's options. `seed` repeats the draws of an earlier verdict,
    which tells its own; None: it is drawn by chance. Without `out` the project lies in a
    folder that ends with this process: save() keeps it. `train`: the mode to compile for; None: the mode that the
    module is in. `progress`: None shows it, False does not, a function is given every line. `compile_for_gpu=False`
    leaves out nvcc where the device is emulated.

    Raises NotVerified, ProgramError, MissingEnvironment or UsageError with the command line's own sentence.
    """
    refuse_others(model)
    inputs, draw = (example_inputs(), example_inputs) if _is_draw(example_inputs) else (example_inputs, None)
    example = example_of(inputs, example_kwargs)
    arguments = Arguments(example, signature_of(model))
    folder = os.path.abspath(os.fspath(out)) if out is not None else _temporary(program_name(model))
    captured = capture(model, example, draw, folder)
    options = [f"--math={math}", f"--device={device}", f"--scale={scale}", f"--out={folder}"]
    options += [] if seed is None else [f"--seed={seed}"]
    options += [] if train is None else ["--train" if train else "--eval"]
    options += [] if compile_for_gpu else ["--skip-nvcc"]
    answer = run(["optimize", captured.program, *options], shower(progress))
    verdict = read_verdict(answer, folder)
    if not verdict.ok:
        again = "" if verdict.seed is None else f"; the same draws again: seed={verdict.seed}"
        raise NotVerified(verdict.text + again, verdict, folder)
    return assemble(model, arguments, captured.names, folder, verdict)


def _is_draw(inputs: Any) -> bool:
    return callable(inputs) and not isinstance(inputs, (torch.Tensor, nn.Module))


def _temporary(name: str) -> str:
    folder = tempfile.mkdtemp(prefix="stitchcuda-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return os.path.join(folder, name)

# SPDX-License-Identifier: Apache-2.0
"""Whether a program is fit to be a task: it runs, its answers are numbers that follow from its inputs, the same call
gives the same bits, and TorchDynamo takes it."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree

from ..deadline import deadline
from ..failures import Failure, from_user_code, one_line
from ..memory import is_out_of_memory
from .loading import Loaded, Unfit, load, told

# What a compiled call may differ by, which rounds as it fuses: a guard against another program, no accept rule.
_COMPILED_RTOL, _COMPILED_ATOL = 2e-3, 2e-3
_SECONDS = 30.0


def try_task(text: str, file: str, overrides: dict[str, int], seed: int, backends: list[str]) -> dict[str, Any]:
    """{"failed": name of a filter or "", "why"}. The filters in their order: eager, answers, deterministic, and compile
    with each of `backends`, the names of TorchDynamo's."""
    try:
        with deadline(_SECONDS, f"Trying {file}", file):
            _try(text, file, overrides, seed, backends)
    except Unfit as unfit:
        return {"failed": unfit.filter_name, "why": one_line(unfit.why)}
    except Failure as failure:
        return {"failed": "eager", "why": one_line(failure.message)}
    finally:
        torch._dynamo.reset()
    return {"failed": "", "why": ""}


def _try(text: str, file: str, overrides: dict[str, int], seed: int, backends: list[str]) -> None:
    torch.manual_seed(seed)
    loaded = load(text, file, overrides)
    with torch.no_grad(), told("running forward", file):
        inputs, others = loaded.inputs(), loaded.inputs()
        before = [leaf.clone() for leaf in _tensors(inputs)]
        first = _call(loaded.module, inputs)
        if not all(torch.equal(one, two) for one, two in zip(before, _tensors(inputs))):
            raise Unfit("answers", "forward writes into its inputs")
        _judge_answers(first, _call(loaded.module, others))
        again = _call(loaded.module, inputs)
        if not all(torch.equal(one, two) for one, two in zip(first, again)):
            raise Unfit("deterministic", "the same call gives other numbers")
        for backend in backends:
            _compile(loaded, inputs, first, backend, file)


def _tensors(values: Any) -> list[torch.Tensor]:
    return [leaf for leaf in pytree.tree_leaves(values) if isinstance(leaf, torch.Tensor)]


def _call(module: nn.Module, inputs: list[Any]) -> list[torch.Tensor]:
    outputs = _tensors(module(*inputs))
    if not outputs:
        raise Unfit("eager", "forward returns no tensor")
    return [output.clone() for output in outputs]


def _judge_answers(first: list[torch.Tensor], other: list[torch.Tensor]) -> None:
    for output in first + other:
        if output.numel() == 0:
            raise Unfit("answers", "an output has no elements")
        if output.is_floating_point() and not bool(torch.isfinite(output).all()):
            raise Unfit("answers", "an output is not finite")
    for one, two in zip(first, other):
        if one.shape == two.shape and torch.equal(one, two):
            raise Unfit("answers", "an output is the same for other inputs")
        if one.numel() > 1 and bool((one == one.reshape(-1)[0]).all()):
            raise Unfit("answers", "an output is one number throughout")
        if one.is_floating_point() and two.shape == one.shape:
            spread = float(one.double().std(correction=0)) if one.numel() > 1 else float(one.double().abs().max())
            moved = float((one.double() - two.double()).abs().max())
            if not moved > 1e-5 * max(spread, float(one.double().abs().max())):
                raise Unfit("answers", "an output hardly follows its inputs")


def _compile(loaded: Loaded, inputs: list[Any], first: list[torch.Tensor], backend: str, file: str) -> None:
    torch._dynamo.reset()
    try:
        compiled = torch.compile(loaded.module, backend=backend, dynamic=False)
        outputs = _tensors(compiled(*inputs))
    except Exception as error:
        if is_out_of_memory(error):
            raise from_user_code(error, f"compiling with {backend}", file, "") from error
        raise Unfit(backend, f"{type(error).__name__}: {error}") from error
    for one, two in zip(first, outputs):
        if one.shape != two.shape or not torch.allclose(
            one.double(), two.double(), rtol=_COMPILED_RTOL, atol=_COMPILED_ATOL * max(1.0, float(one.abs().max()))
        ):
            raise Unfit(backend, "compiled it gives another answer")

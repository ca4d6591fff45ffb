# SPDX-License-Identifier: Apache-2.0
"""Values that a plan has and the exported program has not: rewrites and the import brought them in. Each is made by an
operator of the IR, which is a call of ATen's operator of the same name, or one written out here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..failures import PROGRAM_INVALID, Failure
from ..graph.functional import Call, FunctionalProgram, Ref, Result
from ..graph.supported import DTYPE_NAMES

PREFIX = "plan."  # a plan may have given a name of the program's to another value
_DTYPES = {name: dtype for dtype, name in DTYPE_NAMES.items()}
_aten = torch.ops.aten

Arguments = tuple[Any, list[Any], dict[str, Any]]
Attributes = dict[str, Any]


class NoReference(Exception):
    """What makes a value of the plan cannot be run here by itself; the text is a sentence that says which operator."""


def extended(
    graph: FunctionalProgram, nodes: list[dict[str, Any]], wanted: list[dict[str, Any]]
) -> tuple[FunctionalProgram, dict[str, str]]:
    """`graph` with calls added so that it has every value in `wanted`, and the name that each of those has in it.
    `nodes` are the plan's, in order: op, operands ({"value": spec} | {"scalar": number} | null), attributes, results
    (specs). A spec is {name, dtype, shape}: where the program has a value of that name and type, it is that one. Raises
    NoReference where an operator is none of PyTorch's; whether the others take their operands shows when they run."""
    known = graph.results()
    makers = {result["name"]: node for node in nodes for result in node["results"]}
    names: dict[str, str] = {}
    calls: list[Call] = []

    def resolve(spec: dict[str, Any]) -> str:
        name = str(spec["name"])
        if name not in names and known.get(name) == (_DTYPES[spec["dtype"]], tuple(spec["shape"])):
            names[name] = name
        if name not in names:
            node = makers.get(name)
            if node is None:
                raise Failure(PROGRAM_INVALID, f"Nothing in the plan makes {name}.", "", "Emit the program again.")
            operands = [_operand(operand, resolve) for operand in node["operands"]]
            names.update({result["name"]: PREFIX + result["name"] for result in node["results"]})
            calls.append(_call(node, operands))
        return names[name]

    chosen = {str(spec["name"]): resolve(spec) for spec in wanted}
    return FunctionalProgram(graph.values, graph.calls + calls, graph.outputs, graph.tensors), chosen


def _operand(operand: dict[str, Any] | None, resolve: Callable[[dict[str, Any]], str]) -> Any:
    if operand is None:
        return None
    return Ref(resolve(operand["value"])) if "value" in operand else operand["scalar"]


def _call(node: dict[str, Any], operands: list[Any]) -> Call:
    results = [Result(PREFIX + made["name"], _DTYPES[made["dtype"]], tuple(made["shape"])) for made in node["results"]]
    attributes = {
        name: _DTYPES.get(value, value) if name == "dtype" else value for name, value in node["attributes"].items()
    }
    writer = _WRITTEN.get(node["op"], _same_name)
    target, args, kwargs = writer(node["op"], operands, attributes)
    return Call(_checked(target, node["op"], results), args, kwargs, results, node.get("place", ""), len(results) > 1)


class _checked:  # noqa: N801 - stands for an operator
    """An operator whose results must have the shapes that the plan says."""

    def __init__(self, target: Any, name: str, results: list[Result]) -> None:
        self._target, self._name, self._results = target, name, results

    def __str__(self) -> str:
        return f"aten.{self._name}.plan"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            made = self._target(*args, **kwargs)
        except (IndexError, RuntimeError, TypeError, ValueError) as error:
            raise _no_reference(self._name) from error
        tensors = made if isinstance(made, (list, tuple)) else [made]
        if [tuple(tensor.shape) for tensor in tensors[: len(self._results)]] != [item.shape for item in self._results]:
            raise _no_reference(self._name)
        return made


def _no_reference(name: str) -> NoReference:
    return NoReference(f"The reference cannot run the plan's operator {name} by itself.")


def _same_name(op: str, operands: list[Any], attributes: Attributes) -> Arguments:
    """ATen has an operator of this name: operands by place, attributes by the names they have there."""
    packet = getattr(_aten, op, None)
    if packet is None:
        raise _no_reference(op)
    while operands and operands[-1] is None:
        operands = operands[:-1]
    if operands and not isinstance(operands[0], Ref) and isinstance(operands[0], (bool, int, float)):
        operands = [torch.tensor(operands[0], dtype=torch.float64), *operands[1:]]
    known = {argument.name for name in packet.overloads() for argument in getattr(packet, name)._schema.arguments}
    if not set(attributes) <= known:
        raise _no_reference(op)
    return packet, operands, attributes


def _by_place(target: Any, *keys: str) -> Callable[[str, list[Any], Attributes], Arguments]:
    return lambda op, operands, attributes: (target, [*operands, *(attributes[key] for key in keys)], {})


def _to(op: str, operands: list[Any], attributes: Attributes) -> Arguments:
    return _aten._to_copy.default, operands, {"dtype": attributes["dtype"]}


def _full(op: str, operands: list[Any], attributes: Attributes) -> Arguments:
    return _aten.full.default, [attributes["shape"], attributes["value"]], {"dtype": attributes["dtype"]}


def _arange(op: str, operands: list[Any], attributes: Attributes) -> Arguments:
    dtype = attributes["dtype"]
    number = float if dtype.is_floating_point else int
    limits = [number(attributes[key]) for key in ("start", "end", "step")]
    return _aten.arange.start_step, limits, {"dtype": dtype}


def _cat(op: str, operands: list[Any], attributes: Attributes) -> Arguments:
    return _aten.cat.default, [operands, attributes["dim"]], {}


def _pad(op: str, operands: list[Any], attributes: Attributes) -> Arguments:
    pairs = list(zip(attributes["before"], attributes["after"]))
    while pairs and attributes["mode"] != "constant" and pairs[0] == (0, 0):
        pairs.pop(0)
    widths = [width for pair in reversed(pairs) for width in pair]
    value = attributes["value"] if attributes["mode"] == "constant" else None
    return _aten.pad.default, [operands[0], widths, attributes["mode"], value], {}


def _batch_norm(op: str, operands: list[Any], attributes: Attributes) -> Arguments:
    raise _no_reference(op)


_WRITTEN: dict[str, Callable[[str, list[Any], Attributes], Arguments]] = {
    "to": _to,
    "full": _full,
    "arange": _arange,
    "cat": _cat,
    "pad": _pad,
    "batch_norm": _batch_norm,
    "reshape": _by_place(_aten.reshape.default, "shape"),
    "expand": _by_place(_aten.expand.default, "shape"),
    "permute": _by_place(_aten.permute.default, "dims"),
    "select": _by_place(_aten.select.int, "dim", "index"),
    "slice": _by_place(_aten.slice.Tensor, "dim", "start", "end", "step"),
    "unfold": _by_place(_aten.unfold.default, "dim", "size", "step"),
    "softmax": lambda op, operands, attributes: (_aten._softmax.default, [operands[0], attributes["dim"], False], {}),
    "log_softmax": lambda op, operands, attributes: (
        _aten._log_softmax.default,
        [operands[0], attributes["dim"], False],
        {},
    ),
}

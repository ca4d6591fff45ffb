# SPDX-License-Identifier: Apache-2.0
"""Turns an ExportedProgram into our functional form: live calls only, getitem resolved, names and places settled."""

from __future__ import annotations

import operator
import os
from collections import Counter
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind
from torch.fx import Node
from torch.utils import _pytree as pytree

from ..complexes.pair import as_real
from ..complexes.rewrite import rewrite_complex
from ..failures import PROGRAM_INVALID, Failure
from .functional import (
    CONSTANT,
    INPUT,
    OUTPUT,
    PARAMETER,
    RANDOM,
    STATE,
    Call,
    FunctionalProgram,
    Output,
    Ref,
    Result,
    Returned,
    Value,
)
from .inline import inline_grad_regions
from .live import live_nodes
from .names import Names, module_path, operator_name, result_wishes
from .places import location_in_user_code
from .random import NUMBERS, STREAM, numbers_drawn
from .schema import complete_arguments
from .supported import FIXED_SHAPES, refuse_quantised, refuse_special_tensors

_STATE_OUTPUTS = (OutputKind.BUFFER_MUTATION,)


class _Converter:
    """One conversion. Node by node, from placeholders to output; `_refs` maps traced nodes to our names."""

    def __init__(self, exported: ExportedProgram, folder: str, file: str) -> None:
        inline_grad_regions(exported.graph_module)
        rewrite_complex(exported, folder, file)
        self._exported, self._folder, self._file = exported, folder, file
        self._names = Names()
        self._refs: dict[Node, Any] = {}
        self._live = live_nodes(exported.graph)
        self._layer_nodes = Counter(module_path(node.meta) for node in self._calls() if _makes_floats(node))
        self._location = ""
        self._random_values: list[Value] = []

    def _calls(self) -> list[Node]:
        nodes = self._exported.graph.nodes
        return [n for n in nodes if n.op == "call_function" and n in self._live and n.target is not operator.getitem]

    def run(self) -> FunctionalProgram:
        values = self._values()
        calls = [self._call(node) for node in self._calls()]
        outputs = self._outputs(values)
        values += self._random_values
        return FunctionalProgram(values, calls, outputs, _tensors(self._exported), self._returned())

    def _values(self) -> list[Value]:
        signature = self._exported.graph_signature
        states = set(signature.buffers_to_mutate.values())
        specs = {spec.arg.name: spec for spec in signature.input_specs}
        values = []
        for node in self._exported.graph.nodes:
            if node.op != "placeholder":
                continue
            spec = specs[node.name]
            role = _role(spec, states)
            example = node.meta.get("val")
            # A state that forward replaces without a look at it is no operand of anything, and still has a place.
            if not isinstance(example, torch.Tensor) or (role not in (INPUT, STATE) and node not in self._live):
                continue
            binding = spec.target if spec.target is not None else node.name
            refuse_special_tensors(example, f"The {role} {binding}", self._file)
            name = self._names.unique(binding)
            self._refs[node] = Ref(name)
            values.append(Value(name, role, binding, example.dtype, _static_shape(example, binding, self._file)))
        return values

    def _call(self, node: Node) -> Call:
        self._location = location_in_user_code(node.meta.get("stack_trace"), self._folder) or self._location
        refuse_quantised(str(node.target), self._where())
        example = node.meta.get("val")
        multiple = isinstance(example, (list, tuple))
        examples = list(example) if multiple else [example]
        wishes = result_wishes(node.target, self._wish(node), len(examples))
        results = []
        for wish, item in zip(wishes, examples):
            if not isinstance(item, torch.Tensor):
                results.append(Result("", None, ()))
                continue
            refuse_special_tensors(item, f"The result of {node.target}", self._where())
            name = self._names.unique(wish)
            results.append(Result(name, item.dtype, _static_shape(item, str(node.target), self._where())))
        args, kwargs = complete_arguments(node.target, *self._mapped(node))
        self._refs[node] = [Ref(r.name) for r in results] if multiple else Ref(results[0].name)
        if numbers_drawn(node.target, args) is not None:
            stream = len(self._random_values)
            name = self._names.unique(f"random_{stream}")
            self._random_values.append(Value(name, RANDOM, f"random.{stream}", torch.float32, results[0].shape))
            kwargs = {**kwargs, NUMBERS: Ref(name), STREAM: stream}
        return Call(node.target, args, kwargs, results, self._location, multiple)

    def _where(self) -> str:
        """The present place as an error tells it: with the whole path."""
        return os.path.join(self._folder, self._location) if self._location else self._file

    def _wish(self, node: Node) -> str:
        path = module_path(node.meta)
        operator_text = operator_name(node.target)
        if not path:
            return operator_text
        alone = self._layer_nodes[path] == 1 and _makes_floats(node)
        return path if alone else f"{path}_{operator_text}"

    def _mapped(self, node: Node) -> tuple[list[Any], dict[str, Any]]:
        mapped = pytree.tree_map_only(Node, self._resolve, (list(node.args), dict(node.kwargs)), is_leaf=_is_node)
        return list(mapped[0]), mapped[1]

    def _resolve(self, node: Node) -> Any:
        if node in self._refs:
            made = self._refs[node]
            if isinstance(made, Ref) and not made.name:
                message = f"forward computes with a number that {node.target} takes out of a tensor."
                remedy = "Leave out .item(), int() and float(): operators take a tensor without axes as a number."
                raise Failure(PROGRAM_INVALID, message, self._where(), remedy)
            return made
        if node.op == "call_function" and node.target is operator.getitem:
            return self._resolve(node.args[0])[node.args[1]]
        if node.op == "get_attr":
            return f"<{node.target}>"
        value = node.meta.get("val")
        if isinstance(value, (int, float, bool, str)) or value is None:
            return value
        raise Failure(PROGRAM_INVALID, f"{node.target} makes a value that is no tensor.", self._where())

    def _outputs(self, values: list[Value]) -> list[Output]:
        signature = self._exported.graph_signature
        output_node = next(node for node in self._exported.graph.nodes if node.op == "output")
        paths = iter(_output_paths(self._exported))
        outputs = []
        for node, spec in zip(output_node.args[0], signature.output_specs):
            if spec.kind in _STATE_OUTPUTS:
                outputs.append(Output(self._resolve(node).name, STATE, str(spec.target)))
            elif spec.kind == OutputKind.USER_INPUT_MUTATION:
                message = f"forward changes its input {spec.target} in place."
                raise Failure(PROGRAM_INVALID, message, self._file, "Work on a copy: x = x.clone().")
            elif spec.kind == OutputKind.USER_OUTPUT:
                path = next(paths)
                if isinstance(node, Node) and isinstance(node.meta.get("val"), torch.Tensor):
                    outputs.append(Output(self._resolve(node).name, OUTPUT, path))
            else:
                raise Failure(PROGRAM_INVALID, f"forward changes {spec.target} in place.", self._file, "Use a buffer.")
        if not any(output.role == OUTPUT for output in outputs):
            raise Failure(PROGRAM_INVALID, "forward returns no tensor.", self._file, "Return the result.")
        return sorted(outputs, key=lambda output: output.role == STATE)

    def _returned(self) -> Any:
        """What forward returns: its structure, with the places of the outputs for its tensors."""
        output_node = next(node for node in self._exported.graph.nodes if node.op == "output")
        leaves: list[Any] = []
        count = 0
        for node, spec in zip(output_node.args[0], self._exported.graph_signature.output_specs):
            if spec.kind != OutputKind.USER_OUTPUT:
                continue
            is_tensor = isinstance(node, Node) and isinstance(node.meta.get("val"), torch.Tensor)
            leaves.append(Returned(count) if is_tensor else getattr(spec.arg, "value", node))
            count += is_tensor
        structure = self._exported.call_spec.out_spec
        return leaves[0] if structure is None else pytree.tree_unflatten(leaves, structure)


def convert(exported: ExportedProgram, folder: str, file: str) -> FunctionalProgram:
    """The functional form of `exported`. Raises a Failure for shapes that depend on data and for special tensors."""
    return _Converter(exported, folder, file).run()


def _is_node(item: Any) -> bool:
    return isinstance(item, Node)


def _makes_floats(node: Node) -> bool:
    """Whether a layer's node does its real work, and no bookkeeping such as counting batches."""
    return any(
        isinstance(leaf, torch.Tensor) and leaf.is_floating_point() for leaf in pytree.tree_leaves(node.meta.get("val"))
    )


def _role(spec: Any, states: set[str]) -> str:
    if spec.kind == InputKind.PARAMETER:
        return PARAMETER
    if spec.kind == InputKind.BUFFER:
        return STATE if spec.target in states else CONSTANT
    return INPUT if spec.kind == InputKind.USER_INPUT else CONSTANT


def _static_shape(example: torch.Tensor, what: str, location: str) -> tuple[int, ...]:
    if not all(isinstance(extent, int) for extent in example.shape):
        message = f"The shape of what {what} makes depends on the values of a tensor."
        raise Failure(PROGRAM_INVALID, message, location, FIXED_SHAPES)
    return tuple(int(extent) for extent in example.shape)


def _tensors(exported: ExportedProgram) -> dict[str, torch.Tensor]:
    tensors: dict[str, torch.Tensor] = {}
    for source in (exported.state_dict, exported.constants):
        tensors.update({name: as_real(item) for name, item in source.items() if isinstance(item, torch.Tensor)})
    return tensors


def _output_paths(exported: ExportedProgram) -> list[str]:
    """The path of every returned leaf in the returned structure: "0" for a single tensor, "1" or "hidden.0" else."""
    structure = exported.call_spec.out_spec
    if structure is None:
        return ["0"]
    leaves = list(range(structure.num_leaves))
    paths = []
    for keys, _leaf in pytree.tree_flatten_with_path(pytree.tree_unflatten(leaves, structure))[0]:
        steps = [str(getattr(key, "idx", getattr(key, "key", getattr(key, "name", key)))) for key in keys]
        paths.append(".".join(steps) or "0")
    return paths

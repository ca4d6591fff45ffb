# SPDX-License-Identifier: Apache-2.0
"""What a call of a module is made of, recorded below Python: work and bytes of each ATen operator, and a digest of the
graph in which no size, name or order of operands of a sum stands.

Two programs of equal digest compute the same by the same operators, at other sizes, under other names, written in
another order, with layers or with functions: `nn.Linear(a, b)(x)`, `F.linear(x, w, b)` and `b + x @ w.T` are one.
"""

from __future__ import annotations

import hashlib
from math import prod
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

# What only looks at, or copies, its operand: the digest goes through it.
_THROUGH = set("""view _unsafe_view reshape expand unsqueeze squeeze alias detach clone contiguous lift_fresh lift
    lift_fresh_copy view_copy _reshape_alias flatten unflatten""".split())
_SYMMETRIC = {"add", "mul", "maximum", "minimum", "eq", "ne", "logical_and", "logical_or", "logaddexp"}
_PERMUTES = {"permute", "transpose", "t", "numpy_T", "mT"}
_DIMENSIONS = {"dim", "dims", "dim0", "dim1", "dim2", "axis"}
# Arguments that are sizes, or that change no operator into another one.
_SIZES = set("""size sizes kernel_size stride padding dilation output_size output_padding keepdim start end step
    split_size split_sizes index length repeats shifts eps momentum normalized_shape num_groups N C HxW group
    ceil_mode count_include_pad divisor_override layout device pin_memory memory_format non_blocking
    scale_factors scales scales_h scales_w scales_d cudnn_enabled benchmark deterministic allow_tf32 implicit
    self_ alpha beta value lambd negative_slope threshold min_val max_val min max k diagonal n p
    correction scale other exponent""".split())
_RECURRENT = {"lstm", "gru", "rnn_tanh", "rnn_relu"}
_LOW = (torch.float16, torch.bfloat16)


def digest(*parts: Any) -> str:
    """16 hexadecimal digits of the parts' text."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


class Recorder(TorchDispatchMode):
    """Records what runs under it. `costs` has [flops, bytes, whether of 16-bit numbers] for each operator that is no
    view, `operators` their names in order."""

    def __init__(self, module: nn.Module, inputs: list[Any]) -> None:
        super().__init__()
        self.costs: list[list[float]] = []
        self.operators: list[str] = []
        self.largest = 0  # elements of a tensor
        self.draws = False
        self._known: dict[int, str] = {}
        self._parameters: set[int] = set()
        self._kept: list[Any] = []  # so that no id stands for another tensor later
        for parameter in module.parameters():
            self._know(parameter, digest("parameter", str(parameter.dtype)))
            self._parameters.add(id(parameter))
        for buffer in module.buffers():
            self._know(buffer, digest("buffer", buffer.dim(), str(buffer.dtype)))
        for leaf in pytree.tree_leaves(inputs):
            if isinstance(leaf, torch.Tensor):
                self._know(leaf, digest("input", leaf.dim(), str(leaf.dtype)))

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        self._record(func, args, kwargs, result)
        return result

    def signature(self, result: Any) -> str:
        """Of what was returned, whatever the order of several outputs."""
        leaves = [leaf for leaf in pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor)]
        return digest("outputs", sorted(self._of(leaf) for leaf in leaves))

    def recurrent(self, name: str, args: Any, result: Any) -> None:
        """A whole recurrent layer: every weight meets every sample of every step once."""
        tensors = [leaf for leaf in pytree.tree_leaves(args) if isinstance(leaf, torch.Tensor)]
        weights = [each for each in tensors if id(each) in self._parameters]
        outputs = [leaf for leaf in pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor)]
        samples = prod(tensors[0].shape[:-1])
        flops = 2 * samples * sum(each.numel() for each in weights if each.dim() == 2)
        self._count(name, flops, tensors, outputs)
        from_outside = [self._of(each) for each in tensors if id(each) not in self._parameters]
        made = digest(name, len(weights), from_outside)
        for number, each in enumerate(outputs):
            self._know(each, digest(made, number))

    def _know(self, tensor: torch.Tensor, value: str) -> None:
        self._known[id(tensor)] = value
        self._kept.append(tensor)

    def _of(self, tensor: torch.Tensor) -> str:
        found = self._known.get(id(tensor))
        if found is None:  # made outside, as a constant of the module
            found = digest("constant", tensor.dim(), str(tensor.dtype))
            self._know(tensor, found)
        return found

    def _record(self, func: Any, args: Any, kwargs: Any, result: Any) -> None:
        name = func._schema.name.split("::")[-1].rstrip("_")
        tensors = [leaf for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        outputs = [leaf for leaf in pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor)]
        self.draws = self.draws or torch.Tag.nondeterministic_seeded in func.tags
        is_view = any(each.alias_info and not each.alias_info.is_write for each in func._schema.returns)
        if not is_view and outputs:
            counted = flop_registry.get(func._overloadpacket)
            flops = counted(*args, **kwargs, out_val=result) if counted else sum(each.numel() for each in outputs)
            self._count(name, flops, tensors, outputs)
        if name in _THROUGH or (name == "_to_copy" and tensors and outputs[0].dtype == tensors[0].dtype):
            for each in outputs:
                self._know(each, self._of(tensors[0]))
            self._pass_on(tensors[0], outputs)
        elif name in _PERMUTES and id(tensors[0]) in self._parameters:
            self._know(outputs[0], self._of(tensors[0]))  # how a weight lies is a matter of its layout
            self._pass_on(tensors[0], outputs)
        else:
            made = self._digest_of(name, func, args, kwargs)
            for number, each in enumerate(outputs):
                self._know(each, digest(made, number) if number else made)

    def _pass_on(self, source: torch.Tensor, outputs: list[torch.Tensor]) -> None:
        if id(source) in self._parameters:
            self._parameters.update(id(each) for each in outputs)

    def _count(self, name: str, flops: float, tensors: list[torch.Tensor], outputs: list[torch.Tensor]) -> None:
        read = {id(each): min(each.numel() * each.itemsize, each.untyped_storage().nbytes()) for each in tensors}
        written = sum(each.numel() * each.itemsize for each in outputs)
        low = bool(outputs) and outputs[0].dtype in _LOW
        self.costs.append([float(flops), float(sum(read.values()) + written), 1.0 if low else 0.0])
        self.operators.append(name)
        self.largest = max([self.largest] + [each.numel() for each in outputs])

    def _digest_of(self, name: str, func: Any, args: Any, kwargs: Any) -> str:
        if name in ("addmm", "baddbmm", "addmv"):  # a product and a sum
            product = digest({"addmm": "mm", "baddbmm": "bmm"}.get(name, "mv"), self._words(args[1:3]), [])
            return digest("add", sorted([("tensor", product), *self._words(args[:1])]), [])
        if name in _PERMUTES:
            return digest("permute", self._order(name, args), self._of(args[0]))
        words = []
        for argument, value in _named(func, args, kwargs):
            word = self._word(argument, value, args)
            if word is not None:
                words.append(word)
        tensors = [word for word in words if word[0] == "tensor"]
        others = [word for word in words if word[0] != "tensor"]
        return digest(name, sorted(tensors) if name in _SYMMETRIC else tensors, others)

    def _words(self, tensors: Any) -> list[tuple[str, str]]:
        return [("tensor", self._of(each)) for each in tensors]

    def _order(self, name: str, args: Any) -> tuple[int, ...]:
        rank = args[0].dim()
        order = list(range(rank))
        if name == "permute":
            return tuple(each % rank for each in args[1])
        first, second = (args[1], args[2]) if name == "transpose" else (rank - 2, rank - 1)
        if rank > 1:
            order[first], order[second] = order[second], order[first]
        return tuple(order)

    def _word(self, argument: str, value: Any, args: Any) -> Any:
        """What of an argument tells one operator from another; None: nothing."""
        if isinstance(value, torch.Tensor):
            return ("tensor", self._of(value))
        if isinstance(value, (list, tuple)) and any(isinstance(each, torch.Tensor) for each in value):
            return ("tensors", [self._of(each) for each in value if isinstance(each, torch.Tensor)])
        if argument in _DIMENSIONS:
            rank = args[0].dim() if args and isinstance(args[0], torch.Tensor) else 0
            each = [value] if isinstance(value, int) else list(value or [])
            # From the end, so that another batch axis in front changes nothing.
            return ("dim", sorted(one - rank if one >= 0 else one for one in each if isinstance(one, int)))
        if argument == "groups":
            return ("groups", value > 1)
        if isinstance(value, (bool, str, torch.dtype)) and argument not in _SIZES:
            return (argument, str(value))
        return None


def _named(func: Any, args: Any, kwargs: Any) -> list[tuple[str, Any]]:
    names = [each.name for each in func._schema.arguments]
    return list(zip(names, args)) + sorted(kwargs.items(), key=lambda item: item[0])


class WholeRecurrences(TorchFunctionMode):
    """nn.LSTM, nn.GRU and nn.RNN as one operator each: ATen unrolls them where there is no library, and their length
    would then be a part of the graph."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        if name not in _RECURRENT or len(args) < 9:
            return func(*args, **(kwargs or {}))
        source, hidden, two_ways = args[0], args[1], args[7]
        first = hidden[0] if isinstance(hidden, (list, tuple)) else hidden
        width = first.shape[-1] * (2 if two_ways else 1)
        with torch.utils._python_dispatch._disable_current_modes():
            output = source.new_empty((*source.shape[:-1], width))
            before = hidden if isinstance(hidden, (list, tuple)) else [hidden]
            states = [each.new_empty(each.shape) for each in before]
        result = (output, *states)
        self._recorder.recurrent(name, args, result)
        return result


def record(module: nn.Module, inputs: list[Any]) -> tuple[Recorder, Any]:
    """One call of `module` on meta tensors, recorded; and what it returned."""
    recorder = Recorder(module, inputs)
    with torch.no_grad(), WholeRecurrences(recorder), recorder:
        result = module(*inputs)
    return recorder, result

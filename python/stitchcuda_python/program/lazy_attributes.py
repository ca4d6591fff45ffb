# SPDX-License-Identifier: Apache-2.0
"""Attributes that forward makes at its first call and finds at later ones: a mask, a table of rotary angles. Where a
later call would make the same again, export may record the first call: nothing goes from call to call."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree

from .attributes import Watch
from .build import Program, draw_inputs

_DRAWS = 4  # pairs of inputs; what depends on them may by chance be the same for one pair


def carries_nothing(program: Program, watch: Watch) -> bool:
    """Whether calls that find the attributes of `watch` give what calls that make them give, and make the same of other
    inputs. Needs real tensors, and inputs that get_inputs() draws anew; where they are the same each time, the answer
    is no. Leaves the module as it was."""
    state = _buffers(program.module)
    try:
        with torch.random.fork_rng(devices=[]):
            draws = [tuple(draw_inputs(program.namespace, program.request) for _ in range(2)) for _ in range(_DRAWS)]
            return _all_vary(draws) and all(_same_found_or_made(program.module, watch, *pair) for pair in draws)
    except Exception:  # noqa: BLE001 - the caller then says what is wrong with the attributes
        return False
    finally:
        _put_back(state)
        watch.restore()


def _all_vary(draws: list[tuple[Any, ...]]) -> bool:
    """Whether every input tensor has other values in some pair: what is made of one that never does looks steady."""
    pairs = [list(zip(*map(_tensors, pair))) for pair in draws]
    return all(any(not _alike(*both) for both in one_input) for one_input in zip(*pairs))


def _same_found_or_made(module: nn.Module, watch: Watch, first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
    """Calls `module` with `first`, then with `second`, with and without what the first call left. Buffers that the
    first call changed stay changed, so that what is made of them is seen to differ."""
    _forget(watch)
    module(*_copied(first))
    made, state, random_state = _copied(_held(watch)), _buffers(module), torch.get_rng_state()
    with_them = _copied(module(*_copied(second)))
    if not _alike(_held(watch), made):
        return False
    left = _copied([values for _, _, values in _buffers(module)])
    _put_back(state)
    _forget(watch)
    torch.set_rng_state(random_state)
    without_them = module(*_copied(second))
    again = [values for _, _, values in _buffers(module)]
    return _alike(_held(watch), made) and _alike(with_them, without_them) and _alike(left, again)


def _forget(watch: Watch) -> None:
    """As before the first call. Lists, dicts and sets are copied, since forward may write into them."""
    watch.restore()
    for seen in watch.seen.values():
        if isinstance(seen.old, (list, dict, set)):
            seen.module.__dict__[seen.name] = copy.deepcopy(seen.old)


def _held(watch: Watch) -> list[Any]:
    return [seen.module.__dict__.get(seen.name) for seen in watch.seen.values()]


def _buffers(root: nn.Module) -> list[tuple[nn.Module, dict[str, Any], dict[str, Any]]]:
    """Of every submodule its buffers, and their values now."""
    return [(module, dict(module._buffers), _copied(dict(module._buffers))) for module in root.modules()]


def _put_back(state: list[tuple[nn.Module, dict[str, Any], dict[str, Any]]]) -> None:
    for module, buffers, values in state:
        for name, buffer in buffers.items():
            if buffer is not None:
                buffer.copy_(values[name])
            module._buffers[name] = buffer


def _tensors(tree: Any) -> list[torch.Tensor]:
    return [leaf for leaf in pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def _copied(tree: Any) -> Any:
    return pytree.tree_map(lambda leaf: leaf.clone() if isinstance(leaf, torch.Tensor) else copy.copy(leaf), tree)


def _alike(one: Any, two: Any) -> bool:
    """The same values in the same places; NaN is the same as NaN."""
    ones, form = pytree.tree_flatten(one)
    twos, other_form = pytree.tree_flatten(two)
    return form == other_form and all(map(_same_leaf, ones, twos))


def _same_leaf(one: Any, two: Any) -> bool:
    if not isinstance(one, torch.Tensor) or not isinstance(two, torch.Tensor):
        return type(one) is type(two) and bool(one == two)
    if one.shape != two.shape or one.dtype != two.dtype:
        return False
    return bool(((one == two) | ((one != one) & (two != two))).all())

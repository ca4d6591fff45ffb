# SPDX-License-Identifier: Apache-2.0
"""Names for values: C identifiers, unique, and taken from the user's own model where it names things."""

from __future__ import annotations

import re
from typing import Any

_RESERVED = set(
    """alignas alignof and asm auto bitand bitor bool break case catch char class compl concept const consteval
    constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit export extern false
    float for friend goto if inline int long mutable namespace new noexcept not nullptr operator or private protected
    public register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast
    struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual void
    volatile wchar_t while xor main half half2 float2 float4 dim3 graph input output parameter constant state none mode
    inf nan""".split()
)


def identifier(text: str) -> str:
    """`text` as a C identifier that is no reserved word and has no leading or double underscore."""
    name = re.sub(r"_+", "_", re.sub(r"[^0-9A-Za-z]", "_", text)).strip("_") or "value"
    if name[0].isdigit():
        name = "v" + name
    return name + "_value" if name in _RESERVED else name


class Names:
    """Hands out unique names; the same requests in the same order give the same names."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def unique(self, wish: str) -> str:
        """`wish` as an identifier, with the first free number behind it where it is taken."""
        base = name = identifier(wish)
        number = 1
        while name in self._taken:
            name = f"{base}_{number}"
            number += 1
        self._taken.add(name)
        return name


def operator_name(target: Any) -> str:
    """The short name of an operator: "linear" for aten.linear.default."""
    text = str(target)
    parts = text.split(".")
    name = parts[1] if len(parts) > 2 else parts[-1]
    return "batch_norm" if "batch_norm" in name else identifier(name)


_BATCH_NORM_EXTRAS = ("batch_mean", "batch_invstd", "new_running_mean", "new_running_var")


def result_wishes(target: Any, wish: str, count: int) -> list[str]:
    """Names for the results of a call that wants to be called `wish`: the first of several kinds bears it alone, the
    pieces of a list are numbered."""
    if count == 1:
        return [wish]
    returns = getattr(getattr(target, "_schema", None), "returns", ())
    if len(returns) != count:
        return [f"{wish}_{position}" for position in range(count)]
    extras: list[str] = [result.name or str(position) for position, result in enumerate(returns)][1:]
    if operator_name(target) == "batch_norm":
        extras = list(_BATCH_NORM_EXTRAS[: count - 1])
    return [wish] + [f"{wish}_{extra}" for extra in extras]


def module_path(meta: dict[str, Any]) -> str:
    """The path of the library layer ("block1.conv1") that a traced node came from, or "" where the user's own forward
    made it."""
    stack = meta.get("nn_module_stack") or {}
    if not stack:
        return ""
    path, kind = list(stack.values())[-1]
    kind = kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}"
    return path if kind.startswith("torch.nn.modules.") else ""

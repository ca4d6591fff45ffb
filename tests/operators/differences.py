# SPDX-License-Identifier: Apache-2.0
"""Where our results for NaN, infinities and numbers near overflow are known to be others than PyTorch's, and why."""

import re

# By a pattern of names: the mixtures it holds for, and the reason.
STATED: dict[str, tuple[tuple[str, ...], str]] = {
    r"grid_sampler.*": (
        ("infinite", "undefined"),
        "a place that is not a number is turned into an index, which no rule defines",
    ),
    r"cdist(\..*)?": (
        ("infinite", "undefined"),
        "rows are subtracted, where PyTorch expands the square (infinities become NaN) or passes over NaN (p = inf)",
    ),
    r"multi_margin_loss(\..*)?": (
        ("infinite", "undefined"),
        "PyTorch's CPU kernel passes over NaN; its own description of the operator, which is ours, does not",
    ),
    r"cast\.(integer|small)|to\.int64|type_as": (
        ("large", "infinite", "undefined"),
        "what becomes of a number beyond an integer type is undefined",
    ),
    r"searchsorted.*|bucketize": (
        ("undefined",),
        "a row that holds NaN is not in order; PyTorch halves it all the same",
    ),
    r"topk.*|sort.*|argsort|msort": (("undefined",), "which of several NaN comes first is open"),
    r"type_promotion\.mixed": (
        ("small", "large", "infinite", "undefined"),
        "a number that is narrowed and widened again within one kernel is not rounded between",
    ),
    r"(var|std)(_mean)?\..*|var|std": (
        ("large",),
        "squares overflow float32, in which we add up; PyTorch's CPU kernels add in float64",
    ),
}


def stated(name: str, mixture: str) -> str:
    """The reason why the operator may differ there; "" when it may not."""
    for pattern, (mixtures, reason) in STATED.items():
        if mixture in mixtures and re.fullmatch(pattern, name):
            return reason
    return ""


BAR = "\\|"  # a bar within a cell


def as_markdown() -> str:
    rows = "\n".join(
        f"| `{name.replace('|', BAR)}` | {', '.join(where)} | {why} |" for name, (where, why) in STATED.items()
    )
    return f"| operators (a pattern) | values | why |\n|---|---|---|\n{rows}\n"

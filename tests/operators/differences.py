# SPDX-License-Identifier: Apache-2.0
"""Where our results for NaN, infinities and numbers near overflow are known to be others than PyTorch's, and why."""

import re

# By a pattern of names: the mixtures it holds for, and the reason.
STATED: dict[str, tuple[tuple[str, ...], str]] = {
    r".*\.complex|complex|conj|fft_(?!fftshift$).*|i?stft": (
        ("small", "large", "infinite", "undefined"),
        "a part of complex numbers that is 0 throughout is left out, where PyTorch multiplies infinities by it; "
        "quotients and roots are scaled otherwise; a Fourier transform adds up in another order",
    ),
    r"grid_sampler.*": (
        ("large", "infinite", "undefined"),
        "a place that is not a number, or beyond every integer, is turned into an index, which no rule defines",
    ),
    r"cdist(\..*)?": (
        ("large", "infinite", "undefined"),
        "rows are subtracted, where PyTorch expands the square (it overflows, cancels to 0, and infinities become NaN) "
        "or passes over NaN (p = inf)",
    ),
    r"multi(label)?_margin_loss(\..*)?": (
        ("infinite", "undefined"),
        "PyTorch's CPU kernel passes over NaN; its own description of the operator, which is ours, does not",
    ),
    r"embedding_bag\.mean": (
        ("undefined",),
        "the largest of a bag's rows: PyTorch's kernels ask which is greater, and so pass over NaN; we do not",
    ),
    r"cast\.(integer|small)|to\.int64|type_as": (
        ("large", "infinite", "undefined"),
        "what becomes of a number beyond an integer type is undefined",
    ),
    r"searchsorted.*|bucketize": (
        ("undefined",),
        "a row that holds NaN is not in order; PyTorch halves it all the same",
    ),
    r"type_promotion\.mixed": (
        ("small", "large", "infinite", "undefined"),
        "a number that is narrowed and widened again within one kernel is not rounded between",
    ),
    r"addcmul|addcdiv": (
        ("large",),
        "PyTorch's CPU kernels multiply the first factor by `value` before they join the second; its CUDA kernels join "
        "the two first, as we do",
    ),
    r"prod(\..*)?|cumprod(\..*)?|cumsum\.forms": (
        ("large",),
        "a partial product leaves the type's range in one order of multiplying and not in another",
    ),
    r"linalg_(solve|inv|det|slogdet|lu)(\..*)?|logdet|cholesky_inverse": (
        ("large", "infinite", "undefined"),
        "a matrix of numbers of all sizes is singular within rounding, where order decides; which of NaN and numbers "
        "is the pivot, no rule says; PyTorch multiplies the inverse of a factor by itself, where we solve twice",
    ),
    r"(var|std)(_mean)?\..*|var|std": (
        ("large",),
        "squares overflow float32, in which we add up; PyTorch's CPU kernels add in float64",
    ),
    r"(batch|layer|group|instance)_norm.*": (
        ("large",),
        "the squares of a variance overflow float32, in which we add up; PyTorch's CPU kernels add in float64",
    ),
    r"scaled_dot_product_attention\.(boolean|causal|forms)": (
        ("large", "infinite", "undefined"),
        "a barred key has no say, whatever its score; PyTorch adds minus infinity, and gets NaN where the score was "
        "infinite or NaN",
    ),
    r"scaled_dot_product_attention(\..*)?": (
        ("large",),
        "a score beyond float32 is infinite and makes its row NaN; PyTorch's CPU kernels scale the factors first, or "
        "give 0 in 16-bit types",
    ),
    r"(lstm|gru|rnn_tanh|rnn_relu)(\..*)?": (
        ("large",),
        "what is left of a sum of huge numbers depends on the order of adding, and a gate hides that the sum was huge",
    ),
}


# Operators whose positions are open where elements are equal: only their values are compared.
OPEN_POSITIONS = r"topk.*|sort.*|argsort.*|msort|kthvalue.*|median.*|nanmedian.*|mode.*"

# Operators whose zeros may have either sign, and why.
OPEN_SIGNS = {
    "softshrink": "PyTorch's CPU kernel gives zeros of another sign in whole vectors than in what is left over",
    "fmax": "of two zeros C's fmax gives either",
    "fmin": "of two zeros C's fmin gives either",
}

# By a pattern of names: operands that stay ordinary numbers where infinities or NaN are tried, and the reason.
ORDINARY: dict[str, tuple[tuple[str, ...], str]] = {
    r"conv.*": (
        ("w",),
        "an infinite or undefined weight meets the zeros that stand outside the image and between strides: NaN where "
        "PyTorch's kernels pass over some of these products",
    ),
    r"(batch|group|instance)_norm.*": (
        ("w", "b", "m", "v"),
        "infinite weights or statistics: PyTorch's CPU kernels multiply out (x a + b) and subtract infinities where "
        "(x - mean) / deviation w + b does not",
    ),
}


def has_open_positions(name: str) -> bool:
    return re.fullmatch(OPEN_POSITIONS, name) is not None


def stays_ordinary(name: str, mixture: str, argument: str) -> bool:
    """Whether an argument of the operator's program, a key with the case's tag behind it, has no special elements."""
    return mixture in ("infinite", "undefined") and any(
        re.fullmatch(pattern, name) and argument.split("_")[0] in keys for pattern, (keys, _) in ORDINARY.items()
    )


def stated(name: str, mixture: str) -> str:
    """The reason why the operator may differ there; "" when it may not."""
    for pattern, (mixtures, reason) in STATED.items():
        if mixture in mixtures and re.fullmatch(pattern, name):
            return reason
    return ""


BAR = "\\|"  # a bar within a cell


def as_markdown() -> str:
    stated_rows = [(name, ", ".join(where), why) for name, (where, why) in STATED.items()]
    ordinary_rows = [(name, "infinite, undefined weights", why) for name, (_, why) in ORDINARY.items()]
    ordinary_rows += [(name, "zeros", why) for name, why in OPEN_SIGNS.items()]
    ordinary_rows.append(
        (OPEN_POSITIONS, "equal ones", "which of several comes first is open: positions are not compared")
    )
    rows = "\n".join(
        f"| `{name.replace('|', BAR)}` | {where} | {why} |" for name, where, why in stated_rows + ordinary_rows
    )
    return f"| operators (a pattern) | values | why |\n|---|---|---|\n{rows}\n"

# SPDX-License-Identifier: Apache-2.0
"""Names that C++ and Python share, from the `.def` files beside this one, which C++ includes."""

from __future__ import annotations

import pathlib
import re
from dataclasses import dataclass

_FOLDER = pathlib.Path(__file__).resolve().parent


def _rows(table: str, macro: str) -> list[list[str]]:
    text = (_FOLDER / table).read_text(encoding="utf-8")
    return [row.split(", ") for row in re.findall(rf"^{macro}\((.*)\)$", text, re.MULTILINE)]


@dataclass(frozen=True)
class MathMode:
    """What arithmetic a program may use: PyTorch's two TF32 switches."""

    name: str
    tf32_products: bool
    tf32_convolutions: bool


MATH_MODES = {
    name: MathMode(name, products == "true", convolutions == "true")
    for _, name, products, convolutions in _rows("math_modes.def", "STITCH_MATH_MODE")
}
TENSOR_ROLES = tuple(name for _, name in _rows("tensor_roles.def", "STITCH_TENSOR_ROLE"))

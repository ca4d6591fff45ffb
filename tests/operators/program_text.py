# SPDX-License-Identifier: Apache-2.0
"""An operator's cases as one PyTorch program: each case, in each dtype, is an output of its own."""

import random
import zlib

from .catalogue import Case, Operand, Operator

SHAPES = 3

HEADER = """import torch
import torch.nn.functional as F


def drawn(shape, dtype, low=None, high=None):
    if dtype == torch.bool:
        return torch.rand(shape) < 0.5
    if not dtype.is_floating_point:
        return torch.randint(-9 if low is None else int(low), 10 if high is None else int(high), shape, dtype=dtype)
    if low is None:
        return torch.randn(shape).to(dtype)
    return (torch.rand(shape) * (high - low) + low).to(dtype)


"""


def cases(operator: Operator, seed: int) -> list[Case]:
    """Three cases; the same for the same seed, whatever else is tried."""
    rng = random.Random(zlib.crc32(f"{operator.name} {seed}".encode()))
    return [operator.make(rng, index) for index in range(SHAPES)]


def seen(name: str, operand: Operand) -> str:
    """The text by which `forward` sees the operand: a strided one is passed with its outer axes exchanged."""
    return f"{name}.transpose(0, {len(operand.shape) - 1})" if is_strided(operand) else name


def is_strided(operand: Operand) -> bool:
    return operand.strided and len(operand.shape) > 1


def passed_shape(operand: Operand) -> tuple[int, ...]:
    shape = operand.shape
    return (shape[-1], *shape[1:-1], shape[0]) if is_strided(operand) else shape


def program(operator: Operator, dtypes: tuple[str, ...], seed: int) -> str:
    """A file with Model and get_inputs. `forward` returns one entry for each case and dtype, cases first."""
    arguments, draws, lines, results = [], [], [], []
    for index, case in enumerate(cases(operator, seed)):
        for dtype in dtypes:
            tag = f"{index}_{dtype}"
            for key, operand in case.operands.items():
                argument = f"{key}_{tag}"
                arguments.append(argument)
                draws.append(
                    f"drawn({passed_shape(operand)}, torch.{operand.dtype or dtype}, {operand.low}, {operand.high})"
                )
                lines.append(f"{key} = {seen(argument, operand)}")
            lines.append(f"result_{tag} = {case.expression}")
            results.append(f"result_{tag}")
    body = "\n".join("        " + line for line in lines)
    drawn = "".join(f"        {draw},\n" for draw in draws)
    return (
        f"{HEADER}class Model(torch.nn.Module):\n    def forward(self, {', '.join(arguments)}):\n{body}\n"
        f"        return [{', '.join(results)}]\n\n\ndef get_inputs():\n    return [\n{drawn}    ]\n\n\n"
        "def get_init_inputs():\n    return []\n"
    )

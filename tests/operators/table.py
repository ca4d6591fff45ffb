# SPDX-License-Identifier: Apache-2.0
"""docs/operators.md: which operators are verified, in which dtypes, and which are refused."""

from .catalogue import FAMILIES
from .program_text import SHAPES
from .trial import Outcome

INTRODUCTION = """# Operators

Made by `tests/operators/run build/stitchcuda --table docs/operators.md --seed {seed}`. Each operator is a program of
its own that `stitchcuda optimize` takes through the whole verdict on the emulated device, in {shapes} random shapes
(one of them seen through strides) for each dtype. *verified*: the verdict is ok. *refused*: the import says by name
what is missing. Names are ATen's; what follows a dot is an overload or a set of arguments.

{verified} operators are verified in at least one dtype, {both} of them in every dtype tried,
{refused} are refused by name, {failed} are neither.
"""


def cell(outcome: Outcome) -> str:
    return outcome.kind if outcome.is_fine else f"**{outcome.kind}**"


def row(name: str, result: dict[str, Outcome]) -> str:
    kinds = {outcome.kind for outcome in result.values()}
    if kinds == {"verified"}:
        return f"| `{name}` | {', '.join(result)} | |"
    verified = ", ".join(dtype for dtype, outcome in result.items() if outcome.kind == "verified")
    rest = "; ".join(f"{dtype}: {cell(outcome)}" for dtype, outcome in result.items() if outcome.kind != "verified")
    return f"| `{name}` | {verified} | {rest} |"


def table(found: dict[str, dict[str, Outcome]], seed: int) -> str:
    def count(condition: object) -> int:
        return sum(bool(condition([outcome.kind for outcome in result.values()])) for result in found.values())

    text = INTRODUCTION.format(
        seed=seed,
        shapes=SHAPES,
        verified=count(lambda kinds: "verified" in kinds),
        both=count(lambda kinds: set(kinds) == {"verified"}),
        refused=count(lambda kinds: set(kinds) == {"refused"}),
        failed=count(lambda kinds: set(kinds) - {"verified", "refused"}),
    )
    for family, operators in FAMILIES.items():
        rows = [row(operator.name, found[operator.name]) for operator in operators if operator.name in found]
        if rows:
            text += (
                f"\n## {family[0].upper()}{family[1:]}\n\n| operator | verified in | otherwise |\n|---|---|---|\n"
                + "\n".join(rows)
                + "\n"
            )
    return text

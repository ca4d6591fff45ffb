# SPDX-License-Identifier: Apache-2.0
"""docs/operators.md: which operators are verified, in which dtypes, and which are refused."""

import re

from .catalogue import FAMILIES
from .differences import as_markdown
from .program_text import SHAPES
from .trial import Outcome

INTRODUCTION = """# Operators

Made by `tests/operators/run build/stitchcuda --table docs/operators.md --seed {seed}`. Each operator is a program of
its own that `stitchcuda optimize` takes through the whole verdict on the emulated device, in {shapes} random shapes
(one of them seen through strides) for each dtype, with PyTorch 2.11 or 2.13. *verified*: the verdict is ok. *refused*:
the import says by name what is missing, in the sentence given. Names are ATen's; what follows a dot is an overload or
a set of arguments.

{verified} operators are verified in at least one dtype, {both} of them in every dtype tried,
{refused} are refused by name, {failed} are neither.

Complex numbers may stand between real inputs and real outputs: the import makes each a pair of real tensors.
Parameters, buffers and states that are complex in the state dict are real in the program, with a last axis of two: the
same memory. A Fourier transform is a product with matrices of cosines and sines, which are prepared before the first
call. Beyond 1024 elements along an axis it is two products, where the number has two factors of 8 or more; beyond 4096
it is refused where it has not. In the modes tf32 and reduced these products are rounded as others are.

Of square matrices of up to 512 columns there are Cholesky and LU factors, and what follows from them: solutions,
inverses, determinants. Where PyTorch raises, since a matrix is singular or not positive definite, a program of ours has
infinities or NaN.
"""

SPECIAL_VALUES = """
`tests/operators/special_values` compares the same programs with PyTorch on NaN, infinities, signed zeros, denormals and
numbers near overflow. Results are PyTorch's, or as near to those in double precision; a sum may overflow before it is
divided.{counted} They differ on purpose here:

"""

COUNTED = """ With seed {seed}, {agree} operators agree in every dtype that is taken
({dtypes}), {random} draw random numbers and {refused} are refused by name: these are left out,
{differ} differ, {untried} have not been tried on these cases."""

MISSING = "\n{count} operators of the catalogue have no row: `--continue` feeds them.\n"


def said(outcome: Outcome) -> str:
    """What a cell says of an outcome that is not verified: each reason once, without its places in the program."""
    kind = outcome.kind if outcome.is_fine else f"**{outcome.kind}**"
    sentence = re.sub(r"^\d+ operators? of this program (is|are) not supported yet: ", "", outcome.sentence)
    sentence = re.sub(r" at operator_program\.py:\d+", "", " ".join(sentence.split()))
    reasons = "; ".join(dict.fromkeys(sentence.split("; "))).replace("|", "\\|")
    return f"{kind}: {reasons}" if reasons else kind


def row(name: str, result: dict[str, Outcome]) -> str:
    verified = ", ".join(dtype for dtype, outcome in result.items() if outcome.kind == "verified")
    by_reason: dict[str, list[str]] = {}
    for dtype, outcome in result.items():
        if outcome.kind != "verified":
            by_reason.setdefault(said(outcome), []).append(dtype)
    rest = "; ".join(f"{', '.join(dtypes)} {reason}" for reason, dtypes in by_reason.items())
    return f"| `{name}` | {verified} | {rest} |".replace("|  |", "| |")


def special_values(special: dict[str, dict[str, Outcome]], operators: int, seed: int) -> str:
    """The paragraph on them, of what special_values recorded; without counts where it recorded nothing."""
    if not special:
        return SPECIAL_VALUES.format(counted="")
    kinds = [{outcome.kind for outcome in result.values()} for result in special.values()]
    tried: dict[str, int] = {}
    for result in special.values():
        for dtype, outcome in result.items():
            if outcome.kind == "agrees":
                tried[dtype] = tried.get(dtype, 0) + 1
    left_out = [result for result in special.values() if {outcome.kind for outcome in result.values()} == {"left out"}]
    random = sum(all(outcome.sentence.startswith("random") for outcome in result.values()) for result in left_out)
    counted = COUNTED.format(
        seed=seed,
        agree=sum(kind in ({"agrees"}, {"agrees", "left out"}) for kind in kinds),
        dtypes=", ".join(f"{count} in {dtype}" for dtype, count in sorted(tried.items(), key=lambda item: -item[1])),
        random=random,
        refused=len(left_out) - random,
        differ=sum("differs" in kind for kind in kinds),
        untried=operators - len(special),
    )
    return SPECIAL_VALUES.format(counted=counted)


def table(found: dict[str, dict[str, Outcome]], seed: int, special: dict[str, dict[str, Outcome]]) -> str:
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
    names = [operator.name for operators in FAMILIES.values() for operator in operators]
    missing = sum(name not in found for name in names)
    text += MISSING.format(count=missing) if missing else ""
    text += special_values(special, len(names), seed) + as_markdown()
    for family, operators in FAMILIES.items():
        rows = [row(operator.name, found[operator.name]) for operator in operators if operator.name in found]
        if rows:
            text += (
                f"\n## {family[0].upper()}{family[1:]}\n\n| operator | verified in | otherwise |\n|---|---|---|\n"
                + "\n".join(rows)
                + "\n"
            )
    return text

# SPDX-License-Identifier: Apache-2.0
"""Suites name the seed of their verdicts, so that what fails fails again. STITCH_TEST_SEED tries another one; tests
that want one drawn by chance leave it out."""

import os

VARIABLE = "STITCH_TEST_SEED"
SEED = int(os.environ.get(VARIABLE, "0"))
JUDGES = ("optimize", "verify", "score")


def with_seed(*arguments: str) -> list[str]:
    """The arguments of a command of stitchcuda, the verb first."""
    return [*arguments, "--seed", str(SEED)] if arguments[0] in JUDGES else list(arguments)

# SPDX-License-Identifier: Apache-2.0
"""One operator through the real program, and what came of it."""

import dataclasses
import json
import os
import pathlib
import re
import subprocess
import tempfile

from named_seed import with_seed

from .catalogue import Operator
from .program_text import program

DEADLINE_SECONDS = 300


@dataclasses.dataclass(frozen=True)
class Outcome:
    """`kind`: verified; refused (a sentence that names an operator); not verified; failed (anything else)."""

    kind: str
    sentence: str = ""

    @property
    def is_fine(self) -> bool:
        return self.kind in ("verified", "refused")


def answer_of(stitchcuda: str, text: str) -> tuple[int, dict, str]:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "operator_program.py")
        path.write_text(text)
        try:
            done = subprocess.run(
                [
                    stitchcuda,
                    *with_seed("optimize", str(path), "--device", "emulated", "--skip-nvcc", "--out", f"{folder}/out"),
                    "--json",
                    "--quiet",
                ],
                text=True,
                capture_output=True,
                check=False,
                timeout=DEADLINE_SECONDS,
                # PyTorch's threads wait by spinning: with several operators at once they only disturb each other.
                env={"STITCHCUDA_PYTHON_THREADS": "1", **os.environ},
            )
        except subprocess.TimeoutExpired:
            return -1, {}, f"no answer within {DEADLINE_SECONDS} s"
    try:
        return done.returncode, json.loads(done.stdout), done.stderr
    except json.JSONDecodeError:
        return done.returncode, {}, done.stderr


def names_an_operator(sentence: str, text: str) -> bool:
    """By ATen's name, or by quoting a call as the program makes it."""
    calls = re.findall(r"[\w.]+(?=\()", text[text.index("def forward") :])
    quoted = re.findall(r"`([^`]*)`", sentence)
    return "aten." in sentence or any(call + "(" in quote for call in calls for quote in quoted)


def tried(stitchcuda: str, operator: Operator, dtypes: tuple[str, ...], seed: int) -> Outcome:
    text = program(operator, dtypes, seed)
    code, answer, errors = answer_of(stitchcuda, text)
    verdict, error = answer.get("verdict"), answer.get("error")
    if verdict is not None and code == 0 and verdict["kind"] == "ok":
        return Outcome("verified")
    if verdict is not None:
        return Outcome("not verified", f"{verdict['kind']}: {verdict.get('reason', '')}")
    if error is not None and code == 3 and names_an_operator(error["sentence"], text):
        return Outcome("refused", error["sentence"])
    return Outcome("failed", error["sentence"] if error else errors.strip()[-300:])


def outcomes(stitchcuda: str, operator: Operator, seed: int) -> dict[str, Outcome]:
    """By dtype. All dtypes are tried in one program; only when that is not verified, one by one."""
    together = tried(stitchcuda, operator, operator.dtypes, seed)
    if together.kind == "verified" or len(operator.dtypes) == 1:
        return {dtype: together for dtype in operator.dtypes}
    return {dtype: tried(stitchcuda, operator, (dtype,), seed) for dtype in operator.dtypes}

# SPDX-License-Identifier: Apache-2.0
"""One made candidate and its verdict, as a stranger would hand it over."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import sys

import parts

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "candidates"))
from folder import INCLUDE, PROGRAMS, run_verify  # noqa: E402

# Of an attack: refused, or why it was not.
REFUSED, NEVER_FIRED, ACCEPTED = "refused", "never fired", "accepted"


def lay_out(made: parts.Made, place: pathlib.Path) -> None:
    (place / "candidate").mkdir(parents=True)
    for header in (INCLUDE / "candidate.h", HERE / "attack.h", HERE / "engine.h", HERE / "tasks" / f"{made.task}.h"):
        shutil.copy(header, place / "candidate")
    (place / "candidate" / "program.cu").write_text(made.text)
    shutil.copy(PROGRAMS / f"{made.task}.py", place / "program.py")


def verdict_of(made: parts.Made, build: pathlib.Path, place: pathlib.Path, device: str, seed: int | None) -> dict:
    """{kind, reason, seed}; kind "none" where no verdict came. `seed`: None draws one by chance."""
    lay_out(made, place)
    command = [str(build / "stitchcuda"), "verify", "--candidate", str(place / "candidate"), "--program",
               str(place / "program.py"), "--device", device, "--json", "--quiet"]
    command += [] if seed is None else ["--seed", str(seed)]
    try:
        exit_code, out, err = run_verify(command, place, dict(os.environ))
        said = json.loads(out)
        return {"kind": said["verdict"]["kind"], "reason": said["verdict"]["reason"], "seed": said.get("seed")}
    except (ValueError, KeyError):
        return {"kind": "none", "reason": f"exit {exit_code}: {(out + err).strip()[-300:]}", "seed": seed}
    finally:
        shutil.rmtree(place, ignore_errors=True)


def try_attack(number: int, seed: int, build: pathlib.Path, place: pathlib.Path, device: str,
               verdict_seed: int | None = None) -> dict:
    """What became of it. One that passes is handed in again with answers that cannot be right at the same moments:
    where that passes too, the moment never came."""
    made = parts.attack(number, seed)
    seen = verdict_of(made, build, place, device, verdict_seed)
    outcome = REFUSED
    if seen["kind"] == "ok":
        spoilt = verdict_of(parts.attack(number, seed, spoils=True), build, place, device, seen["seed"])
        outcome = NEVER_FIRED if spoilt["kind"] == "ok" else ACCEPTED
    outcome = outcome if seen["kind"] != "none" else "no verdict"
    return {"task": made.task, "parts": made.parts, "outcome": outcome, **seen}


def try_honest(number: int, seed: int, build: pathlib.Path, place: pathlib.Path, device: str,
               verdict_seed: int | None = None) -> dict:
    made = parts.honest(number, seed)
    seen = verdict_of(made, build, place, device, verdict_seed)
    return {"task": made.task, "parts": made.parts,
            "outcome": ACCEPTED if seen["kind"] == "ok" else REFUSED, **seen}

# SPDX-License-Identifier: Apache-2.0
"""One made candidate and its verdict, as a stranger would hand it over."""
from __future__ import annotations

import functools
import json
import os
import pathlib
import shutil
import sys
import tempfile
from collections.abc import Iterable

import parts

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "candidates"))
from folder import INCLUDE, PROGRAMS, run_verify  # noqa: E402

# Of an attack: refused, or why it was not. Its moment may come by chance, in one verdict and not in the next.
REFUSED, NEVER_FIRED, BY_CHANCE, ACCEPTED = "refused", "never fired", "refused when seen", "accepted"
LEAST_WATCHED, MOST_WATCHED = 2, 4  # verdicts on an attack that passed


def lay_out(made: parts.Made, place: pathlib.Path) -> None:
    (place / "candidate").mkdir(parents=True)
    own = [HERE / name for name in ("attack.h", "engine.h", "witness.h", f"tasks/{made.task}.h")]
    for header in (INCLUDE / "candidate.h", *own):
        shutil.copy(header, place / "candidate")
    (place / "candidate" / "program.cu").write_text(made.text)
    shutil.copy(PROGRAMS / f"{made.task}.py", place / "program.py")


def verdict_of(made: parts.Made, build: pathlib.Path, place: pathlib.Path, device: str, seed: int | None,
               *options: str) -> dict:
    """{kind, reason, seed}; kind "none" where no verdict came. `seed`: None draws one by chance."""
    lay_out(made, place)
    command = [str(build / "stitchcuda"), "verify", "--candidate", str(place / "candidate"), "--program",
               str(place / "program.py"), "--device", device, "--json", "--quiet", *options]
    command += [] if seed is None else ["--seed", str(seed)]
    try:
        exit_code, out, err = run_verify(command, place, dict(os.environ))
        said = json.loads(out)
        return {"kind": said["verdict"]["kind"], "reason": said["verdict"]["reason"], "seed": said.get("seed")}
    except (ValueError, KeyError):
        return {"kind": "none", "reason": f"exit {exit_code}: {(out + err).strip()[-300:]}", "seed": seed}
    finally:
        shutil.rmtree(place, ignore_errors=True)


@functools.lru_cache
def in_a_cage(asked: str, build: pathlib.Path, place: pathlib.Path, device: str) -> bool:
    """What a caged candidate finds. Raises ValueError where that cannot be told."""
    kind = verdict_of(parts.probe(asked), build, place, device, None)["kind"]
    if kind == "none":
        raise ValueError(f"no verdict tells whether {asked}")
    return kind != "ok"


def watched(number: int, seed: int, build: pathlib.Path, place: pathlib.Path, device: str,
            verdict_seed: int) -> tuple[dict, str]:
    """The same attack's verdict without a cage, and a letter for each of its deeds there (witness.h)."""
    asks = parts.attack(number, seed).asks
    answers = {asked: in_a_cage(asked, build, place.with_name(place.name + "-probe"), device) for asked in asks}
    with tempfile.TemporaryDirectory(prefix="witness-") as folder:
        file = pathlib.Path(folder) / "deeds"
        made = parts.attack(number, seed, parts.Witness(str(file), answers))
        seen = verdict_of(made, build, place, device, verdict_seed, "--unsafe-no-sandbox")
        return seen, file.read_text() if file.exists() else ""


def outcome_of_accepted(rounds: Iterable[tuple[dict, str]]) -> tuple[str, str]:
    """Of an attack that passed, by verdicts in which its deeds are told: the outcome, and those of the accepted one. It
    is accepted where one of them is, and gave a wrong answer or the host's: only that verdict's own deeds count, since
    addresses and times are others in the next. Where one refuses it, its moment has come and was seen."""
    refused = False
    for count, (seen, deeds) in enumerate(rounds, 1):
        if seen["kind"] == "none":
            return "no verdict", ""
        if seen["kind"] == "ok" and set(deeds) & {"w", "h"}:
            return ACCEPTED, deeds
        refused = refused or seen["kind"] != "ok"
        if count >= (MOST_WATCHED if refused else LEAST_WATCHED):
            break
    return BY_CHANCE if refused else NEVER_FIRED, ""


def try_attack(number: int, seed: int, build: pathlib.Path, place: pathlib.Path, device: str,
               verdict_seed: int | None = None) -> dict:
    """What became of it. One that passes is judged again, with its verdict's seed and then others, watched."""
    made = parts.attack(number, seed)
    seen = verdict_of(made, build, place, device, verdict_seed)
    told = {"task": made.task, "parts": made.parts, **seen}
    if seen["kind"] != "ok":
        return told | {"outcome": REFUSED if seen["kind"] != "none" else "no verdict"}
    outcome, deeds = outcome_of_accepted(watched(number, seed, build, place, device, seen["seed"] + more)
                                         for more in range(MOST_WATCHED))
    return told | {"outcome": outcome} | ({"deeds": deeds} if deeds else {})


def try_honest(number: int, seed: int, build: pathlib.Path, place: pathlib.Path, device: str,
               verdict_seed: int | None = None) -> dict:
    made = parts.honest(number, seed)
    seen = verdict_of(made, build, place, device, verdict_seed)
    return {"task": made.task, "parts": made.parts,
            "outcome": ACCEPTED if seen["kind"] == "ok" else REFUSED, **seen}

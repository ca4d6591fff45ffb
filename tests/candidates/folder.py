# SPDX-License-Identifier: Apache-2.0
"""A candidate of tests/rejects/ or tests/honest/, and its verdict. It is a folder KIND/FAMILY/NAME (KIND: native;
module for Python; gpu where only a GPU will do) with `candidate/`, `expect` and, unless it is shared, `program.py`.

id: H45                     of the attack, or of the honest technique
what: one sentence
program: linear_relu        (optional) tests/programs/linear_relu.py, which candidates share
kind: wrong                 the verdict's kind; several where machines and moments differ
reason: part of the reason  or several, with " | " between
gpu-reason: likewise        (optional) on a GPU, which has words of its own for what it met
form: library               (optional) candidate/*.cc are compiled into a .so first, with `compile` flags; "beside":
                            into candidate/candidate.so, for the Python file there; "file": model_new.py is handed
                            over and not its folder
compile: -Wl,-rpath,/x      (optional)
arguments: --math tf32      (optional) for `stitchcuda verify`
devices: emulated gpu       (optional) else both, and a ModelNew on the emulated device alone
long: yes                   (optional) not in the short run
seed: drawn                 (optional) judged with a seed drawn by chance; else with the one that all suites name
audit: part of a sentence   (optional) what its source must send a person to look at; "none": it must not
link: name -> target        (optional) a link that is laid in candidate/: what reads this tree must meet none
"""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(TESTS))
import named_seed  # noqa: E402

INCLUDE = TESTS / "candidates" / "include"
PROGRAMS = TESTS / "programs"
SOURCES = (".cu", ".cuh", ".h", ".hpp", ".cc", ".cpp", ".inc", ".py")
KEYS = ("id", "what", "program", "kind", "reason", "form", "compile", "arguments", "devices", "long", "note", "audit",
        "link", "seed", "gpu-reason")
# A machine that does other work too is given as many times as long as STITCH_TEST_PATIENCE says.
DEADLINE_S = 300 * float(os.environ.get("STITCH_TEST_PATIENCE", "1"))


@dataclasses.dataclass
class Candidate:
    folder: pathlib.Path
    values: dict[str, str]

    @property
    def collection(self) -> str:
        return self.folder.relative_to(TESTS).parts[0]

    @property
    def name(self) -> str:
        """Of its collection alone, so that pages and marks outlive a move to another family."""
        return f"{self.collection}/{self.folder.name}"

    @property
    def path(self) -> str:
        return str(self.folder.relative_to(TESTS))

    def program(self) -> pathlib.Path:
        shared = self.values.get("program")
        return PROGRAMS / f"{shared}.py" if shared else self.folder / "program.py"

    def is_reject(self) -> bool:
        return self.collection == "rejects"

    def kinds(self) -> list[str]:
        return self.values["kind"].split()

    def reasons(self, device: str = "emulated") -> list[str]:
        reason = self.values["reason"]
        return (self.values.get("gpu-reason", reason) if device == "gpu" else reason).split(" | ")

    def is_long(self) -> bool:
        return self.values.get("long") == "yes"

    def link(self) -> tuple[str, str]:
        """Name and target; empty where it has none."""
        name, _, target = self.values.get("link", "").partition(" -> ")
        return name, target

    def devices(self) -> list[str]:
        is_python = any((self.folder / "candidate").rglob("*.py")) or self.link()[0].endswith(".py")
        return self.values.get("devices", "emulated" if is_python else "emulated gpu").split()


@dataclasses.dataclass
class Seen:
    candidate: Candidate
    kind: str
    reason: str
    problem: str
    hack_class: str = ""  # "clean", "partial_hack", "total_hack"
    unread: str = ""  # why its source was not read, where it was not: a machine may have no parser


def read_values(folder: pathlib.Path) -> dict[str, str]:
    """The lines of `expect`. Raises ValueError for one that is read wrongly: it would pass for no reason."""
    values = {}
    for number, line in enumerate((folder / "expect").read_text().splitlines(), 1):
        key, colon, text = line.partition(":")
        if not colon or key not in KEYS:
            raise ValueError(f"{folder}/expect:{number}: {line} is no line of an expectation")
        values[key] = text.strip()
    return values


def read_candidate(folder: pathlib.Path) -> Candidate:
    """Raises ValueError for a folder that is none."""
    candidate = Candidate(folder, read_values(folder))
    values = candidate.values
    lacking = [key for key in ("id", "what", "kind", "reason") if not values.get(key)]
    has_files = (folder / "candidate").is_dir() or "link" in values
    if lacking or not has_files or not candidate.program().is_file():
        raise ValueError(f"{folder}: lacks {lacking or 'candidate/ or its program'}")
    if candidate.is_reject() == ("ok" in candidate.kinds()):
        raise ValueError(f"{folder}: {values['kind']} is no verdict for this collection")
    if len(folder.relative_to(TESTS).parts) != 4:
        raise ValueError(f"{folder}: belongs into KIND/FAMILY/NAME of its collection")
    return candidate


def all_candidates() -> list[Candidate]:
    found = [read_candidate(path.parent) for collection in ("rejects", "honest")
             for path in (TESTS / collection).rglob("expect")]
    twice = [name for name, count in collections.Counter(each.name for each in found).items() if count > 1]
    if twice:
        raise ValueError(f"two folders are called {', '.join(sorted(twice))}")
    return sorted(found, key=lambda each: each.path)


def find_candidate(name: str) -> Candidate:
    """By its collection and own name, as in `rejects/zeros`; a folder of tests/rubric/ has a program alone."""
    collection, _, own = name.partition("/")
    if collection == "rubric":
        return Candidate(TESTS / name, read_values(TESTS / name))
    folders = list((TESTS / collection).glob(f"*/*/{own}"))
    if len(folders) != 1:
        raise ValueError(f"tests/{collection} has {len(folders)} candidates called {own}")
    return read_candidate(folders[0])


def lay_out(candidate: Candidate, place: pathlib.Path) -> pathlib.Path:
    """A copy in a folder of its own, as a stranger would hand it over; the path to judge."""
    (place / "candidate").mkdir()
    if (candidate.folder / "candidate").is_dir():
        shutil.copytree(candidate.folder / "candidate", place / "candidate", symlinks=True, dirs_exist_ok=True)
    name, target = candidate.link()
    if name:
        (place / "candidate" / name).symlink_to(target)
    shutil.copy(candidate.program(), place / "program.py")
    form = candidate.values.get("form")
    if form in ("library", "beside"):
        sources = sorted(str(path) for path in (place / "candidate").glob("*.cc"))
        library = (place if form == "library" else place / "candidate") / "candidate.so"
        subprocess.run(
            [
                "g++",
                "-std=c++20",
                "-O1",
                "-shared",
                "-fPIC",
                "-w",
                *sources,
                "-I",
                str(INCLUDE),
                "-o",
                str(library),
                *candidate.values.get("compile", "").split(),
            ],
            cwd=place,
            check=True,
        )
        return library if form == "library" else place / "candidate"
    if form == "file":
        return place / "candidate" / "model_new.py"
    own = [each for each in (place / "candidate").rglob("*") if each.suffix in SOURCES and not each.is_symlink()]
    texts = [each.read_text(errors="replace") for each in own if each.is_file()]
    for file in shared_files(texts):
        shutil.copy(file, place / "candidate")
    return place / "candidate"


def shared_files(texts: list[str]) -> set[pathlib.Path]:
    """Those of INCLUDE that these texts include or import, and those that these do."""
    found: set[pathlib.Path] = set()
    while texts:
        named = {file for file in INCLUDE.iterdir() if any(takes(text, file) for text in texts)}
        texts = [file.read_text() for file in named - found]
        found |= named
    return found


def takes(text: str, file: pathlib.Path) -> bool:
    return f"from {file.stem} import " in text if file.suffix == ".py" else f'"{file.name}"' in text


def run_verify(command: list[str], place: pathlib.Path, environment: dict[str, str]) -> tuple[int, str, str]:
    """Its exit status, standard output and error; a verdict that does not come is ended with all that it started."""
    process = subprocess.Popen(
        command,
        cwd=place,
        env=environment,
        text=True,
        errors="replace",
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )
    try:
        out, err = process.communicate(timeout=DEADLINE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return -1, "", f"no verdict within {DEADLINE_S:g} s"
    return process.returncode, out, err


def audit_problem(candidate: Candidate, source: dict) -> str:
    """What is wrong with the places that a person should look at; empty when nothing is."""
    wanted, told = candidate.values.get("audit"), source["audit"]
    if source["unread"]:
        return ""
    as_wanted = wanted is None or (not told if wanted == "none" else any(wanted in each for each in told))
    return "" if as_wanted else f"expected to look at {wanted}, told: {told}"


def looks_for_processes(candidate: Candidate) -> bool:
    """Of those, tests/preloaded.py would change what they find."""
    return candidate.path.split("/")[2] == "escape"


def judge(candidate: Candidate, build: pathlib.Path, scratch: pathlib.Path, cache: pathlib.Path, device: str,
          seed: int = named_seed.SEED, environment: dict[str, str] | None = None,
          options: collections.abc.Sequence[str] = ()) -> Seen:
    """With `seed`, unless its folder wants a drawn one, `environment` beside this process's own, and `options` for
    `stitchcuda verify` beside its folder's."""
    place = scratch / candidate.name.replace("/", "-")
    place.mkdir()
    words = ["verify", "--candidate", str(lay_out(candidate, place)), "--program", str(place / "program.py")]
    if candidate.values.get("seed") != "drawn":
        words += ["--seed", str(seed)]
    words += ["--device", device, "--json", "--quiet", *candidate.values.get("arguments", "").split(),
              *options]
    command = [str(build / "stitchcuda"), *words]
    variables = {**os.environ, "STITCHCUDA_CACHE": str(cache), **(environment or {})}
    exit_code, out, err = run_verify(command, place, variables)
    shutil.rmtree(place, ignore_errors=True)
    try:
        said = json.loads(out)
        verdict = said["verdict"]
    except (ValueError, KeyError):
        return Seen(candidate, "none", "", f"exit {exit_code} without a verdict: {(out + err).strip()[-300:]}")
    kind, reason = verdict["kind"], verdict["reason"]
    reasons = candidate.reasons(device)
    as_expected = (
        kind in candidate.kinds()
        and any(part in reason for part in reasons)
        and exit_code == (0 if kind == "ok" else 1)
    )
    problem = f"{kind}: {reason}; expected {candidate.values['kind']}: {' | '.join(reasons)}"
    problem = audit_problem(candidate, said["candidate"]["source"]) if as_expected else problem
    unread = said["candidate"]["source"]["unread"]
    return Seen(candidate, kind, reason, problem, said["candidate"]["class"], unread[0] if unread else "")

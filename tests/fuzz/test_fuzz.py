# SPDX-License-Identifier: Apache-2.0
"""Fuzzing of everything that reads what others wrote, under AddressSanitizer and UndefinedBehaviorSanitizer: each
target takes the inputs that are kept in corpus/, then looks for new ones. A crash, a hang, a leak or a broken property
is a failure; its input is left in build-asan/found, and belongs into corpus/TARGET once it is mended.

The searches share a minute; with --long 80, of which bench/results/fuzzing.md then tells. tests/fuzz/run searches
longer."""

import json
import os
import pathlib

import page
import pytest
from target import SEED, Fuzzing, kept_inputs, program_of, search, take_kept, targets

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD = ROOT / "bench" / "results" / "fuzzing.md"
SECONDS, LONG_SECONDS = 60.0, 4800.0
pytestmark = pytest.mark.sanitized


@pytest.fixture(scope="session")
def fuzzing(sanitized_build: pathlib.Path, is_long: bool, tmp_path_factory: pytest.TempPathFactory) -> Fuzzing:
    missing = [target for target in targets() if not program_of(sanitized_build, target).exists()]
    assert not missing, f"{', '.join(missing)} not built: run `tools/build-sanitized fuzz_targets`"
    found = sanitized_build / "found"
    found.mkdir(exist_ok=True)
    seconds = (LONG_SECONDS if is_long else SECONDS) / len(targets())
    return Fuzzing(sanitized_build, seconds, tmp_path_factory.mktemp("fuzz"), found, SEED)


@pytest.fixture
def failing(request: pytest.FixtureRequest, fuzzing: Fuzzing, shared_folder) -> dict[str, str]:
    """Of the kept inputs of a target; one process takes them all."""

    def make(folder: pathlib.Path) -> None:
        (folder / "failing.json").write_text(json.dumps(take_kept(fuzzing, request.param)))

    return json.loads((shared_folder(f"fuzz-kept-{request.param}", make) / "failing.json").read_text())


@pytest.fixture(scope="session")
def outcomes(shared_folder) -> pathlib.Path:
    return shared_folder("fuzz-outcomes", lambda folder: None)


def write_record(outcomes: pathlib.Path) -> None:
    """Once the last target has ended, whichever that is."""
    found = [json.loads(path.read_text()) for path in sorted(outcomes.glob("*.json"))]
    if len(found) == len(targets()):
        at_a_time = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        RECORD.write_text(page.page([page.facts(found, at_a_time, SEED)]))


KEPT = [(target, path.name) for target in targets() for path in kept_inputs(target)]


@pytest.mark.parametrize(
    "failing,name", [pytest.param(target, name, id=f"{target}-{name}") for target, name in KEPT], indirect=["failing"]
)
def test_kept(failing: dict[str, str], name: str) -> None:
    assert name not in failing, failing[name]


@pytest.mark.parametrize("target", targets())
def test_search(target: str, fuzzing: Fuzzing, outcomes: pathlib.Path, is_long: bool) -> None:
    outcome = search(fuzzing, target)
    print(outcome.message())
    (outcomes / f"{target}.json").write_text(json.dumps(vars(outcome)))
    if is_long:
        write_record(outcomes)
    assert not outcome.problems, "\n".join(outcome.problems)

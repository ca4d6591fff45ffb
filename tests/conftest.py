# SPDX-License-Identifier: Apache-2.0
"""What all suites share. `tools/run-tests` runs them as `make test` does; by hand, from the root of the tree:

    .venv/bin/python -m pytest tests/candidates -k zeros        one case, whatever part it is in
    .venv/bin/python -m pytest tests -n 2 -m "not alone"        two at a time, the part that the commit chooses

--build FOLDER (build), --long (the whole, and what is marked long), --device emulated|gpu, --update (what is seen is
written down as what is expected); tests/wheel tells its own. Marks are explained in pyproject.toml. Every failure ends
with the command that repeats it, and the last line is `N passed, N failed[, N skipped]`.
"""
from __future__ import annotations

import collections
import fcntl
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
import named_seed  # noqa: E402
import preloaded  # noqa: E402
from part import VARIABLE, part, part_of  # noqa: E402

collect_ignore_glob = ["rejects/*", "honest/*", "programs/*", "rubric/*/candidate", "*/programs/*"]


# The options that take a word, and what they are where nothing is said.
WORDS = {"--build": "build", "--device": "emulated", "--wheel": None, "--python": sys.executable,
         "--torch": "torch==2.13.0+cpu"}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("stitchcuda")
    for name, default in WORDS.items():
        group.addoption(name, default=os.environ.get("STITCHCUDA_BUILD", default) if name == "--build" else default)
    group.addoption("--long", action="store_true")
    group.addoption("--update", action="store_true")


def is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


# Made by tools/build-sanitized.
SANITIZED_BUILD = ROOT / "build-asan"


def build_folder(config: pytest.Config) -> pathlib.Path:
    return (ROOT / config.getoption("--build")).resolve()


def pytest_configure(config: pytest.Config) -> None:
    """One cache of compiled code for all suites; its keys are the contents. What is known of tasks is not kept: its key
    does not tell one build of ours from the next."""
    os.environ.setdefault("STITCHCUDA_CACHE", str(ROOT / "build" / "test-cache"))
    os.environ["STITCHCUDA_BUILD"] = config.getoption("--build")
    if not is_worker(config):
        shutil.rmtree(pathlib.Path(os.environ["STITCHCUDA_CACHE"]) / "admission", ignore_errors=True)


def pytest_report_header() -> str:
    return f"part {part()} of what is run in parts ({VARIABLE}), seed {named_seed.SEED} ({named_seed.VARIABLE})"


def is_gpu_there() -> bool:
    return shutil.which("nvidia-smi") is not None and subprocess.run(
        ["nvidia-smi", "-L"], capture_output=True, check=False).returncode == 0


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the long and, of a suite that is run in parts, the other parts, unless cases are named."""
    is_named = config.getoption("-k") or any("::" in argument for argument in config.args)
    if config.getoption("--long") or is_named:
        return
    in_parts = collections.defaultdict(list)
    left_out = []
    for item in items:
        mark = item.get_closest_marker("in_parts")
        if item.get_closest_marker("long"):
            left_out.append(item)
        elif mark and not item.get_closest_marker("always"):
            in_parts[item.nodeid.partition("[")[0], mark.args[0]].append(item)
    for (_, parts), found in in_parts.items():
        chosen = {id(item) for item in part_of(found, parts)}
        left_out += [item for item in found if id(item) not in chosen]
    gone = {id(item) for item in left_out}
    items[:] = [item for item in items if id(item) not in gone]
    config.hook.pytest_deselected(items=left_out)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A missing GPU is an error where `make test-gpu` asks for one."""
    if item.get_closest_marker("sanitized") and not SANITIZED_BUILD.is_dir():
        pytest.skip("no build with sanitizers is here: tools/build-sanitized makes it, with clang")
    if item.get_closest_marker("gpu") and not is_gpu_there():
        (pytest.fail if os.environ.get("STITCH_REQUIRE_GPU") else pytest.skip)("no GPU is here")


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    """The commands that repeat what failed."""
    failed = terminalreporter.stats.get("failed", []) + terminalreporter.stats.get("error", [])
    given = {name: config.getoption(name) for name in WORDS if config.getoption(name) != WORDS[name]}
    options = [shlex.join([name, word]) for name, word in given.items()]
    options += ["--long"] if config.getoption("--long") else []
    for report in failed:
        variables = [f"{VARIABLE}={part()}", f"{named_seed.VARIABLE}={named_seed.SEED}"]
        words = [*variables, ".venv/bin/python -m pytest", *options, f"'{report.nodeid}'"]
        terminalreporter.write_line(f"repeat: {' '.join(words)}")


def pytest_unconfigure(config: pytest.Config) -> None:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or is_worker(config) or config.getoption("collectonly", False):
        return
    passed, failed, errors, skipped = (len(reporter.stats.get(name, []))
                                       for name in ("passed", "failed", "error", "skipped"))
    reporter.write_line(f"{passed} passed, {failed + errors} failed" + (f", {skipped} skipped" if skipped else ""))


@pytest.fixture(scope="session")
def build(pytestconfig: pytest.Config) -> pathlib.Path:
    return build_folder(pytestconfig)


@pytest.fixture(scope="session")
def sanitized_build() -> pathlib.Path:
    return SANITIZED_BUILD


@pytest.fixture(scope="session")
def cache() -> pathlib.Path:
    """Of compiled code; shared by all suites and kept, as each of its entries is named by what it was made from."""
    return pathlib.Path(os.environ["STITCHCUDA_CACHE"])


@pytest.fixture(scope="session")
def loaded_python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    process, program = preloaded.start(tmp_path_factory.mktemp("preloaded"))
    yield str(program)
    process.stdin.close()
    process.wait()


@pytest.fixture
def preloads(loaded_python: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test starts finds PyTorch loaded; tests/preloaded.py says for whom that is not."""
    monkeypatch.setenv("STITCHCUDA_PYTHON", loaded_python)


@pytest.fixture(scope="session")
def is_long(pytestconfig: pytest.Config) -> bool:
    return pytestconfig.getoption("--long")


@pytest.fixture(scope="session")
def update(pytestconfig: pytest.Config) -> bool:
    return pytestconfig.getoption("--update")


@pytest.fixture(scope="session")
def device(pytestconfig: pytest.Config) -> str:
    return pytestconfig.getoption("--device")


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config):
    """shared_folder(name, make): a folder that make(folder) fills once, whichever process of the run comes first."""
    base = tmp_path_factory.getbasetemp()
    base = base.parent if is_worker(pytestconfig) else base

    def make_once(name: str, make: Callable[[pathlib.Path], None]) -> pathlib.Path:
        folder, done = base / name, base / (name + ".done")
        with open(base / (name + ".lock"), "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                done.touch()
        return folder

    return make_once

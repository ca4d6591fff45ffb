# SPDX-License-Identifier: Apache-2.0
"""The emitted projects stand alone: two build with plain cmake and nvcc outside the repository, and nvcc takes every
emitted file of all of them for each architecture. About six minutes on two cores."""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
from collections.abc import Callable

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = sorted(path.stem for path in (ROOT / "problems").glob("*.py"))
WITH_CMAKE = ("mlp_residual", "conv_bn_relu_pool")
ARCHITECTURES = ("sm_80", "sm_90a", "sm_120")
pytestmark = pytest.mark.long


def call(command: list[object], folder: pathlib.Path) -> None:
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, errors="replace",
                          check=False)
    assert done.returncode == 0, f"{command[0]} exits with {done.returncode}:\n{(done.stdout + done.stderr)[-3000:]}"


@pytest.fixture(scope="session")
def emitted(shared_folder, build: pathlib.Path) -> Callable[[str], pathlib.Path]:
    """emitted(name): the project of that program of problems/."""

    def emit(name: str) -> pathlib.Path:
        def make(folder: pathlib.Path) -> None:
            graph, plan = folder / f"{name}.ir", folder / f"{name}.json"
            program = ROOT / "problems" / f"{name}.py"
            steps = (("import", program, graph), ("plan", graph, plan), ("emit", plan, folder / name))
            for verb, source, made in steps:
                call([build / "stitchcuda", verb, source, "--out", made, "--quiet"], ROOT)

        return shared_folder(f"standalone-{name}", make) / name

    return emit


@pytest.fixture(scope="session")
def nvcc() -> str:
    found = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    return found or pytest.skip("no nvcc is here")


@pytest.mark.parametrize("name", PROGRAMS)
def test_emit(name: str, emitted) -> None:
    assert list(emitted(name).glob("steps/*.cu"))


@pytest.mark.parametrize("name", WITH_CMAKE)
def test_plain_cmake(name: str, emitted, nvcc: str, tmp_path: pathlib.Path) -> None:
    folder = emitted(name)
    call(["cmake", "-S", folder, "-B", tmp_path, "-G", "Ninja", f"-DCMAKE_CUDA_COMPILER={nvcc}"], folder)
    call(["cmake", "--build", tmp_path], folder)
    assert os.access(tmp_path / f"{name}_host", os.X_OK)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_nvcc(name: str, architecture: str, emitted, nvcc: str) -> None:
    folder = emitted(name)
    code = f"arch=compute_{architecture.removeprefix('sm_')},code={architecture}"
    command = [nvcc, "-std=c++20", "-I", "runtime/include", "-I", "runtime", "-gencode", code, "-o", "/dev/null", "-c"]
    files = [*sorted(folder.glob("steps/*.cu")), folder / "program.cu"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda file: call([*command, file], folder), files))

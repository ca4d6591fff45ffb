# SPDX-License-Identifier: Apache-2.0
"""The wheel as a person gets it: a fresh virtual environment, `pip install .`, the example of the README, a notebook,
all on the emulated device. Compiles everything; for further Pythons, a wheel that is already built is named:

    .venv/bin/python -m pytest tests/wheel --long --wheel FILE [--python PYTHON] [--torch REQUIREMENT]
"""

import os
import pathlib
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEEDED = ("stitchcuda/py.typed", "stitchcuda/captured_program.py", "stitchcuda/_programs/bin/stitchcuda",
          "stitchcuda/_programs/bin/stitchcuda-rewrite", "stitchcuda/_programs/bin/stitchcuda-worker-emulated",
          "stitchcuda/_programs/bin/stitchcuda-worker-checked", "stitchcuda/_programs/bin/stitchcuda-worker-counted",
          "stitchcuda/_programs/bin/stitchcuda-keeper-emulated",
          "stitchcuda/_programs/bin/stitchcuda-worker-cuda", "stitchcuda/_programs/bin/stitchcuda-keeper-cuda",
          "stitchcuda/_programs/bin/libstitchcuda.so", "stitchcuda/_programs/bin/libstitch_emulator.so",
          "stitchcuda/_programs/bin/libstitch_host_emulated.so",
          "stitchcuda/_programs/share/stitchcuda/python/stitchcuda_python/server.py",
          "stitchcuda/_programs/share/stitchcuda/report/page.html",
          "stitchcuda/_programs/share/stitchcuda/runtime/kernels/gemm/mma.cuh",
          "stitchcuda/_programs/share/stitchcuda/runtime/python/stitchcuda_runtime/module.py",
          "stitchcuda/_programs/share/stitchcuda/runtime/project/model_new.py.in",
          "stitchcuda/_programs/share/stitchcuda/emulator/include/stitch_emulator.h")
pytestmark = [pytest.mark.long, pytest.mark.alone]


class Environment:
    """A fresh virtual environment, without what the caller's environment variables would add."""

    def __init__(self, folder: pathlib.Path, python: str) -> None:
        self.folder = folder
        self.variables = {name: value for name, value in os.environ.items()
                          if not name.startswith("STITCHCUDA") and name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        self.variables["STITCHCUDA_CACHE"] = str(folder / "cache")
        subprocess.run([python, "-m", "venv", str(folder / "venv")], check=True)

    def program(self, name: str) -> str:
        return str(self.folder / "venv" / "bin" / name)

    def call(self, *command: str) -> str:
        """What it prints; an error with its last words where it fails. Runs outside of the source tree."""
        done = subprocess.run(command, cwd=self.folder, env=self.variables, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{command[:4]}: exit {done.returncode}\n{(done.stdout + done.stderr)[-3000:]}")
        return done.stdout

    def pip(self, *requirements: str) -> None:
        self.call(self.program("pip"), "install", "-q", "--disable-pip-version-check", *requirements)


@pytest.fixture(scope="module")
def wheel(pytestconfig: pytest.Config) -> pathlib.Path | None:
    """One that is already built."""
    named = pytestconfig.getoption("--wheel")
    return pathlib.Path(named).resolve() if named else None


@pytest.fixture(scope="module")
def environment(pytestconfig: pytest.Config, wheel: pathlib.Path | None) -> Iterator[Environment]:
    """With PyTorch and what is tested."""
    with tempfile.TemporaryDirectory(prefix="stitchcuda-wheel-") as folder:
        made = Environment(pathlib.Path(folder), pytestconfig.getoption("--python"))
        try:
            made.pip(pytestconfig.getoption("--torch"))
        except AssertionError:  # the CPU build is not offered everywhere
            made.pip("torch")
        made.pip(str(wheel or ROOT))
        yield made


def test_files(wheel: pathlib.Path | None) -> None:
    if wheel is None:
        pytest.skip("--wheel names none, and pip keeps none of its own")
    assert re.fullmatch(r"stitchcuda-[0-9.]+-py3-none-\w*linux\w*_x86_64\.whl", wheel.name), wheel.name
    files = zipfile.ZipFile(wheel).namelist()
    missing = [file for file in NEEDED if file not in files]
    assert not missing, f"the wheel lacks {missing}"
    strange = [file for file in files if "/tests/" in file or "__pycache__" in file]
    assert not strange, f"the wheel has {strange[:5]}"


def test_install(environment: Environment) -> None:
    assert pathlib.Path(environment.program("stitchcuda")).is_file()


def test_version(environment: Environment) -> None:
    version = re.search(r"project\(stitchcuda VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    assert environment.call(environment.program("stitchcuda"), "--version").strip() == f"stitchcuda {version}"
    code = "import stitchcuda, importlib.metadata as m; print(stitchcuda.__version__, m.version('stitchcuda'))"
    assert environment.call(environment.program("python"), "-c", code).split() == [version, version]


def test_example_of_the_readme(environment: Environment) -> None:
    example = next(text for text in re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
                   if "stitchcuda.optimize" in text)
    assert len(example.splitlines()) == 4, example
    file = environment.folder / "example.py"
    file.write_text(example)
    said = environment.call(environment.program("python"), str(file))
    assert said.startswith("torch.Size([32, 64]) verified: "), said


def test_notebook(environment: Environment) -> None:
    environment.pip("nbclient", "ipykernel")
    environment.call(environment.program("python"), str(ROOT / "tests" / "wheel" / "notebook.py"))

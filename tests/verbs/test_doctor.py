# SPDX-License-Identifier: Apache-2.0
"""stitchcuda doctor on machines that are made of scripts: every program it asks is a few lines of sh."""

import json
import pathlib
import re
import tempfile
import time

from .support import TextCase, executable, install, run

FACTS = '{"version": "3.12.4", "program": "/opt/python/bin/python3", "managed": %s}'
TORCH = '{"version": "%s", "cuda": %s, "place": "/opt/python/lib/torch"}'
GPP = "echo 'g++ (Debian 12.2.0-14) 12.2.0'"
NVCC = """case $1 in
  --version) echo 'Cuda compilation tools, release 13.0, V13.0.88' ;;
  --list-gpu-code) printf 'sm_80\\nsm_86\\nsm_89\\nsm_90\\nsm_100\\nsm_120\\n' ;;
esac"""
SMI = """case $1 in
  --query*) echo 'NVIDIA H200, 9.0, 580.65.06, 143771 MiB' ;;
  *) echo '| NVIDIA-SMI 580.65.06    Driver Version: 580.65.06    CUDA Version: 13.0     |' ;;
esac"""
PARTS = ("stitchcuda-keeper-emulated", "stitchcuda-worker-emulated", "stitchcuda-worker-checked",
         "stitchcuda-worker-counted", "stitchcuda-rewrite")
LAYERS = ("files", "processes", "user", "landlock", "seccomp", "cgroup")
# What a machine of its own would add: these lines are about the one that the test runs on.
OWN_LINES = re.compile(
    r"^  \S+ +(memory, cores|GPU in the cage|/dev/shm|Chart\.js|highlight\.js|cuobjdump|CUPTI|CUPTI's observer)  .*\n"
    r"(?:    .*\n)*",
    re.M,
)


def python(managed: str = "false", torch: str = "") -> str:
    clang = 'case "$*" in *clang*) echo /opt/python/lib/clang/cindex.py; exit ;; esac'
    return f"{clang}\necho '{FACTS % managed}'\n{torch}"


def good_torch(version: str = "2.13.0+cpu", cuda: str = "null") -> str:
    return f"echo '{TORCH % (version, cuda)}'"


class Machine:
    """A folder with an installation, a PATH and a CUDA toolkit of its own."""

    def __init__(self, folder: str, **programs: str) -> None:
        self.folder = pathlib.Path(folder)
        self.program = install(self.folder / "stitchcuda")
        self.path = self.folder / "path"
        self.path.mkdir()
        toolkit = self.folder / "cuda"
        for name, text in {"apt-get": "", **programs}.items():
            place = toolkit / "bin" if name == "nvcc" else self.path
            executable(place / name, f"#!/bin/sh\n{text}\n")
        self.environment = {
            "PATH": str(self.path),
            "HOME": str(self.folder / "home"),
            "CUDA_HOME": str(toolkit),
            "STITCHCUDA_PYTHON": str(self.path / "python3"),
            "COLUMNS": "100",
        }
        if "nvcc" in programs:
            for name in (
                "include/cuda_runtime.h",
                "include/cuda_runtime_api.h",
                "include/crt/host_config.h",
                "lib64/libcudart_static.a",
            ):
                (toolkit / name).parent.mkdir(exist_ok=True, parents=True)
                (toolkit / name).write_text("")

    def add_parts(self, *more: str) -> None:
        for name in (*PARTS, *more):
            executable(self.folder / "stitchcuda" / "bin" / name, "#!/bin/sh\n")
        self.set_layers({})

    def set_layers(self, missing: dict[str, tuple[str, str]]) -> None:
        """What `stitchcuda-cage --probe` finds on this machine."""
        lines = ["maker\troot"]
        for layer in LAYERS:
            lines.append("\t".join(("missing", layer, *missing[layer])) if layer in missing else f"active\t{layer}")
        text = "\n".join(lines)
        executable(self.folder / "stitchcuda" / "bin" / "stitchcuda-cage", f"#!/bin/sh\necho '{text}'\n")

    def examine(self, *arguments: str) -> tuple[int, str]:
        done = run(self.program, "doctor", *arguments, environment=self.environment)
        text = done.stdout.replace(str(self.folder), "/MACHINE").replace("sudo ", "")
        text = re.sub(r"[\d.]+ [MG]B( free)?", r"SIZE\1", text)
        return done.returncode, done.stderr + text


class Doctor(TextCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory(dir="/tmp")  # lines break alike however long TMPDIR is
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name

    def compare(self, name: str, machine: Machine, status: int, *arguments: str) -> str:
        code, text = machine.examine(*arguments)
        self.assertEqual(code, status, text)
        self.assert_text(f"doctor_{name}.txt", OWN_LINES.sub("", text))
        return text

    def test_everything_is_there(self) -> None:
        torch = python(torch=good_torch("2.13.0", '"13.0"'))
        machine = Machine(self.scratch, **{"python3": torch, "g++": GPP, "nvidia-smi": SMI, "nvcc": NVCC})
        machine.add_parts("stitchcuda-keeper-cuda", "stitchcuda-worker-cuda")
        (machine.folder / "stitchcuda" / "prebuilt").mkdir()
        self.compare("everything", machine, 0)

    def test_bare_machine(self) -> None:
        # A toolkit in /usr/local/cuda is found on every machine: what is said of it is not compared here.
        own_toolkit = re.compile(r"^  \S+ +(CUDA headers|nvcc)  .*\n(?:    .*\n)*", re.M)
        code, text = Machine(self.scratch).examine()
        self.assertEqual(code, 4, text)
        self.assert_text("doctor_bare.txt", own_toolkit.sub("", OWN_LINES.sub("", text)))

    def test_no_torch_in_a_python_that_pip_may_not_write_to(self) -> None:
        torch = "echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1"
        machine = Machine(self.scratch, **{"python3": python("true", torch), "g++": GPP, "nvcc": NVCC})
        machine.add_parts()
        self.compare("no_torch", machine, 4)

    def test_torch_that_cannot_be_imported(self) -> None:
        torch = (
            "echo 'Traceback (most recent call last):' >&2; echo 'ImportError: libgomp.so.1: no such file' >&2; exit 1"
        )
        machine = Machine(self.scratch, **{"python3": python(torch=torch), "g++": GPP, "nvcc": NVCC})
        machine.add_parts()
        self.compare("broken_torch", machine, 4)

    def test_old_torch_and_old_compiler(self) -> None:
        old = {"python3": python(torch=good_torch("2.5.1")), "g++": "echo 'g++ (Ubuntu 9.4.0) 9.4.0'", "nvcc": NVCC}
        machine = Machine(self.scratch, **old)
        machine.add_parts()
        self.compare("old", machine, 4)

    def test_a_driver_that_is_older_than_nvcc_and_a_gpu_that_is_too_old(self) -> None:
        smi = SMI.replace("CUDA Version: 13.0", "CUDA Version: 12.4").replace("H200, 9.0", "T4, 7.5")
        torch = python(torch=good_torch())
        machine = Machine(self.scratch, **{"python3": torch, "g++": GPP, "nvidia-smi": smi, "nvcc": NVCC})
        machine.add_parts()
        self.compare("old_gpu", machine, 0)

    def caged(self, missing: dict[str, tuple[str, str]]) -> "Machine":
        torch = python(torch=good_torch())
        machine = Machine(self.scratch, **{"python3": torch, "g++": GPP, "nvcc": NVCC})
        machine.add_parts()
        machine.set_layers(missing)
        return machine

    def test_a_container_without_user_namespaces(self) -> None:
        no_namespaces = ("make a user namespace: Operation not permitted", "docker run --security-opt ...")
        self.compare("reduced_cage", self.caged({name: no_namespaces for name in ("files", "processes", "user")}), 0)

    def test_a_machine_that_allows_no_cage(self) -> None:
        self.compare("no_cage", self.caged({name: ("not here", "use another kernel") for name in LAYERS}), 4)

    def test_folders_that_cannot_be_written_to(self) -> None:
        machine = Machine(self.scratch, **{"python3": python(torch=good_torch()), "g++": GPP, "nvcc": NVCC})
        machine.add_parts()
        (machine.folder / "file").write_text("")
        machine.environment["STITCHCUDA_CACHE"] = machine.environment["STITCHCUDA_STATE"] = (
            f"{machine.folder}/file/below"
        )
        self.compare("unwritable", machine, 4)

    def test_programs_that_hang_cost_bounded_time(self) -> None:
        hangs = "exec /bin/sleep 300"
        machine = Machine(self.scratch, **dict.fromkeys(("python3", "g++", "nvidia-smi", "nvcc"), hangs))
        machine.add_parts()
        started = time.monotonic()
        self.compare("hanging", machine, 4, "--probe-seconds", "1")
        self.assertLess(time.monotonic() - started, 30)

    def test_json_says_the_same(self) -> None:
        machine = Machine(self.scratch, **{"python3": python(torch=good_torch()), "g++": GPP, "nvcc": NVCC})
        machine.add_parts()
        code, text = machine.examine()
        self.assertEqual(code, 0, text)
        said = json.loads(run(machine.program, "doctor", "--json", environment=machine.environment).stdout)
        self.assertEqual((said["schema"], said["able"]), ("stitchcuda.doctor/1", True))
        for finding in said["findings"]:
            self.assertIn(f"{finding['state']:7}  {finding['name']}", text)
            self.assertIn(finding["state"], ("ok", "warning", "absent"))

    def test_without_its_own_files(self) -> None:
        machine = Machine(self.scratch, **{"python3": python(torch=good_torch()), "g++": GPP})
        machine.environment["STITCHCUDA_RESOURCES"] = ""
        for link in (machine.folder / "stitchcuda" / "share" / "stitchcuda").iterdir():
            link.unlink()
        code, text = machine.examine()
        self.assertEqual(code, 4)
        self.assertIn("own files", text)
        self.assertIn("unpack the whole tarball", text)

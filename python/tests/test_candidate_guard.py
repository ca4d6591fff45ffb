# SPDX-License-Identifier: Apache-2.0
"""What a candidate in Python may call, and the ways around the observer: each in a process of its own."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

PYTHON = pathlib.Path(__file__).resolve().parents[1]
BUILD = PYTHON.parent / os.environ.get("STITCHCUDA_BUILD", "build")

_START = """
import ctypes, os, sys
sys.path.insert(0, {python!r})
from stitchcuda_candidate.absent import COMPUTING_MODULES
sys.modules.update({{name: None for name in COMPUTING_MODULES}})
import torch
from stitchcuda_candidate.guard import Guard
reader, writer = os.pipe()
FORK = ctypes.PyDLL(None).fork
GRAPH = "graph(%x : Float(4, 4, strides=[4, 1], requires_grad=0, device=cpu)):\\n"
GRAPH += "  %y : Float(4, 4, strides=[4, 1], requires_grad=0, device=cpu) = aten::tanh(%x)\\n  return (%y)"
OBSERVER = {observer!r}
guard = Guard(OBSERVER, writer)
guard.watch("/nowhere")
x = torch.ones(4, 4)
guard.enforce()
try:
{body}
except Exception as error:
    print(type(error).__name__)
guard.check()
os.set_blocking(reader, False)
try:
    told = os.read(reader, 1 << 16).decode()
except BlockingIOError:
    told = ""
print(" ".join(sorted({{line.split("\\t")[1] for line in told.splitlines() if not line.startswith("own")}})), end="")
"""


def told_of(body: str) -> str:
    """What is printed, then the operators and events that went down the pipe."""
    text = _START.format(
        python=str(PYTHON), observer=str(BUILD / "libstitch_observer.so"), body=textwrap.indent(body, "    ")
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        raise AssertionError(done.stderr[-2000:])
    return done.stdout


@unittest.skipUnless((BUILD / "libstitch_observer.so").exists(), "libstitch_observer.so is not built")
class GuardTest(unittest.TestCase):
    """Several bodies a process where they cannot disturb each other: PyTorch takes seconds to start."""

    def test_memory_views_and_copies_pass(self) -> None:
        body = """
y = torch.empty(4, 4)
torch.zeros(2), torch.empty_strided((2, 2), (1, 2)), x.new_empty(3), torch.empty_like(x)
x.view(16).reshape(2, 8).t().transpose(0, 1)[0].unsqueeze(0).expand(3, 8).permute(1, 0).flatten()
x.detach().contiguous(), x.t().contiguous(), x.clone(), y.copy_(x), x.split(2), x.chunk(2), x.unbind(0)
x.data_ptr(), x.shape, x.stride(), x.is_contiguous(), x._version, x.numel(), x.requires_grad, x.device, x.dtype
torch.nn.Linear(4, 4).weight.data
torch.tensor([1.0, 2.0])
"""
        self.assertEqual(told_of(body).replace("aten::uniform_", "").strip(), "")

    def test_every_way_to_call_an_operator_is_seen(self) -> None:
        body = """
import threading
from torch import relu as r
r(x), x.sigmoid(), torch.ops.aten.tanh(x), torch._C._nn.gelu(x), torch._C._VariableFunctions.exp(x), x + x
thread = threading.Thread(target=lambda: torch.cos(x)); thread.start(); thread.join()
torch.jit.script(torch.nn.Softplus())(x)
torch.vmap(torch.sin)(x)
torch._C._dispatch_call_boxed(torch._C._dispatch_find_schema_or_throw("aten::cosh", ""), x)
torch._C._jit_get_operation("aten::sinh")[0](x)
x.expand(5, 4, 4).tolist()
"""
        told = told_of(body).split()
        for name in "relu sigmoid tanh gelu exp add cos softplus sin cosh sinh resolve_neg".split():
            with self.subTest(name):
                self.assertIn(f"aten::{name}", told)

    def test_what_goes_around_the_dispatcher_is_gone(self) -> None:
        ways = (
            "torch.ops.aten.mm.default._op_dk(torch._C.DispatchKey.CPU, x, x)",
            "torch._C._get_operation_overload('aten::mm', '')[1](torch._C.DispatchKey.CPU, x, x)",
            "torch.ops.aten.mm.default.redispatch(torch._C.DispatchKeySet(torch._C.DispatchKey.CPU), x, x)",
            "torch._C._aoti.AOTIModelContainerRunnerCpu.run",
            "torch._C._aoti.AOTIModelPackageLoader.boxed_run",
            "torch.library.get_kernel('aten::mm', 'CPU').call_boxed(None, x, x)",
            "torch._C._autograd._enable_record_function(False)",
            "torch.autograd._enable_record_function(False)",
            "torch._C._autograd._clear_callbacks()",
            "torch._C._jit_to_static_module(None)",
            "x.numpy()",
            "import numpy",
        )
        body = f"""
for way in {ways!r}:
    try:
        exec(way)
        print("ran", way)
    except (AttributeError, TypeError, RuntimeError, ImportError):
        pass
"""
        self.assertNotIn("ran", told_of(body))

    def test_a_few_numbers_may_be_read_in_a_call(self) -> None:
        few = """
for call in range(3):
    guard.begin_call()
    print(x[0].tolist() + x[1, :2].tolist(), int(x[0, 0]), bool(x[0, 1]), [x[0, 2].item() for _ in range(8)] != [])
"""
        self.assertNotIn("aten", told_of(few))
        self.assertIn("aten::_local_scalar_dense", told_of("[x[0, 0].item() for _ in range(17)]"))
        self.assertIn("aten::_local_scalar_dense", told_of("x[:3].tolist(), x[:2].tolist()"))

    def test_an_operator_in_python_runs_and_shows_what_it_calls(self) -> None:
        body = """
@torch.library.custom_op("own::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(x)
print(tuple(torch.ops.own.twice(x).shape))
"""
        self.assertEqual(told_of(body).split(), ["(4,", "4)", "aten::sin"])

    def test_the_observer_is_not_asked(self) -> None:
        body = """
for name in ("stitch_observer_audit", "_Z11unseal_codev", "stitch_observer_enforce"):
    try:
        getattr(ctypes.PyDLL(OBSERVER), name)
        print("found", name)
    except PermissionError:
        pass
"""
        told = told_of(body)
        self.assertNotIn("found", told)
        self.assertIn("looked up stitch_observer_audit", told)

    def test_other_executors_do_not_run(self) -> None:
        body = """
torch._C._jit_set_te_must_use_llvm_cpu(False)
graph = torch._C.parse_ir(GRAPH)
if FORK() == 0:
    torch._C._te.TensorExprKernel(graph).run((x,))
    os._exit(0)
print(os.WEXITSTATUS(os.wait()[1]))
"""
        self.assertEqual(told_of(body).split("\n")[0], "98")

    def test_the_original_lookup_is_not_found(self) -> None:
        body = """
import gc
names = ("_get_operation_overload", "redispatch_boxed", "_enable_record_function")
found = [thing for thing in gc.get_objects() if type(thing).__name__ == "builtin_function_or_method"
         and thing is not torch._C._get_operation_overload and thing.__name__ in names]
print(len(found))
"""
        self.assertEqual(told_of(body).split(), ["0"])

    def test_native_code_that_nobody_read_is_refused(self) -> None:
        body = """
import ctypes, importlib.machinery, importlib.util, pathlib, shutil, tempfile
place = pathlib.Path(tempfile.mkdtemp())
read, other = place / "read.so", place / "other.so"
for path in (read, other, place / "libtorch_cpu.so", place / "module.so"):
    shutil.copy(OBSERVER, path)
(place / "link.so").symlink_to(place / "libtorch_cpu.so")
(place / "site-packages").mkdir()
shutil.copy(OBSERVER, place / "site-packages" / "packaged.so")
guard.allow([str(read)])

def imported():
    loader = importlib.machinery.ExtensionFileLoader("module", str(place / "module.so"))
    importlib.util.module_from_spec(importlib.util.spec_from_loader("module", loader))

ways = {
    "read": lambda: ctypes.CDLL(str(read)),
    "system": lambda: ctypes.CDLL("libm.so.6").cos,
    "other": lambda: ctypes.CDLL(str(other)),
    "packaged": lambda: ctypes.CDLL(str(place / "site-packages" / "packaged.so")),
    "link": lambda: ctypes.CDLL(str(place / "link.so")),
    "torch_ops": lambda: torch.ops.load_library(str(other)),
    "import": imported,
    "dlopen": lambda: ctypes.CDLL(None).dlopen,
    "mprotect": lambda: ctypes.c_void_p.in_dll(ctypes.CDLL(None), "mprotect"),
}
for name, way in ways.items():
    try:
        way()
        print("ran:" + name)
    except OSError:  # PyTorch makes one of every error
        pass
shutil.rmtree(place)
"""
        told = told_of(body)
        self.assertEqual([word for word in told.split() if word.startswith("ran:")], ["ran:read", "ran:system"])
        for event in ("loaded other.so", "loaded packaged.so", "loaded module.so", "opened libtorch_cpu.so",
                      "looked up dlopen", "looked up mprotect"):  # fmt: skip
            self.assertIn(event, told)

    def test_processes_and_libraries_are_told(self) -> None:
        body = """
import ctypes, subprocess
ways = (
    lambda: subprocess.run(["true"]),
    lambda: ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so")),
    lambda: (sys.modules.pop("numpy"), __import__("numpy")),
    lambda: ctypes.CDLL(torch._C.__file__).sgemm_,
)
for way in ways:
    try:
        way()
        print("ran")
    except PermissionError:
        pass
"""
        told = told_of(body)
        self.assertNotIn("ran", told)
        for event in ("started another process", "opened libtorch_cpu.so", "imported numpy", "opened _C."):
            self.assertIn(event, told)


if __name__ == "__main__":
    unittest.main()

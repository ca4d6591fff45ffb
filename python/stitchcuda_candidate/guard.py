# SPDX-License-Identifier: Apache-2.0
"""Policy by what runs. A native observer below Python sees every operator; here it is started, the ways around it that
Python offers are taken away, and everything that it cannot see is told by Python's audit hooks, which cannot be
removed. What is told goes down a pipe at once."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Iterable
from typing import Any

import torch

from . import scalars
from .absent import COMPUTING_MODULES
from .channel import Fault
from .operators import CANARY, COUNTED, PASSING

# They write kernels, or load those they wrote, which then run past the dispatcher.
_COMPILING_MODULES = ("torch._inductor.compile_fx", "torch._inductor.package")
# Whoever looks these up by hand gets code, or memory for code, that nobody has read, or leaves the process. The
# kernel's filter answers for what does not pass here.
_LOOKED_UP = frozenset(
    "dlopen dlmopen dlsym dlvsym dlinfo mmap mmap64 mremap mprotect pkey_mprotect memfd_create shm_open syscall "
    "personality prctl arch_prctl ptrace process_vm_readv process_vm_writev fork vfork clone posix_spawn posix_spawnp "
    "system popen execl execlp execv execve execvp fexecve _PyRuntime _PySys_ClearAuditHooks "
    "stitch_emulator_keep_apart stitch_emulator_run_only stitch_emulator_leave_out stitch_emulator_enter_device "
    "stitch_emulator_leave_device stitch_emulator_copy stitch_emulator_equal stitch_emulator_lend "
    "stitch_emulator_set_schedule_seed stitch_emulator_set_limits stitch_emulator_clear_fault "
    "stitch_emulator_forget_launches stitch_emulator_keep_commands stitch_emulator_keep_commands_from "
    "stitch_emulator_put_first_contents_back stitch_emulator_forget_commands "
    "stitch_emulator_play_commands stitch_emulator_begin_playing stitch_emulator_play_up_to "
    "stitch_emulator_end_playing sigaction signal bsd_signal sigaltstack".split()
)
_LEDGER_GONE = 97
_WAYS_AROUND: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (torch._C._autograd, ("_enable_record_function", "_clear_callbacks")),
    (torch._C, ("_dispatch_get_computed_kernel_for_dispatch_key", "_jit_to_static_module", "_fuse_to_static_module")),
    (torch._C._DispatchOperatorHandle, ("redispatch_boxed",)),
    (getattr(torch._C, "_aoti", None), ("AOTIModelContainerRunnerCpu", "AOTIModelPackageLoader")),
)


class NoGuard:
    """Of a process whose program may do what it likes, since nobody takes its word for anything."""

    def watch(self, folder: str) -> None:
        """Guard's."""

    def watch_captures(self, runtime: str) -> None:
        """Guard's."""

    def allow(self, libraries: Iterable[str]) -> None:
        """Guard's."""

    def enforce(self) -> None:
        """Guard's."""

    def begin_call(self, seen_twice: bool = False) -> None:
        """Guard's."""

    def check(self) -> None:
        """Guard's."""

    def counts(self) -> dict[str, int]:
        """Guard's."""
        return {}


class Guard(NoGuard):
    """`observer` is the native library, `ledger` the pipe; `seals` where tensors lie in the host's memory, on which
    PyTorch's code for the host could be called by its address."""

    def __init__(self, observer: str, ledger: int, seals: bool = True) -> None:
        self._library = ctypes.CDLL(observer)
        self._library.stitch_observer_observed.restype = ctypes.c_uint64
        self._library.stitch_observer_count.restype = ctypes.c_uint64
        python = ctypes.PyDLL(observer)
        self._lookup, self._redispatch = python.stitch_observer_guard, python.stitch_observer_guard_redispatch
        self._lookup.restype = self._redispatch.restype = ctypes.py_object
        self._redispatch.argtypes = [ctypes.py_object] * 3
        for name in ("start", "watch_captures", "allow", "enforce", "begin_call", "tell_of_blindness"):
            getattr(self._library, f"stitch_observer_{name}")  # looked up now: nobody may do so afterwards
        self._ledger = ledger
        self._canary = torch._nnpack_available
        self._enforced = False
        self._seals = seals

    def watch(self, folder: str) -> None:
        """From now on. `folder` holds the candidate's own files. Raises OSError where PyTorch cannot be watched."""
        names = sorted({name.split(".")[0] for name in torch._C._dispatch_get_all_op_names()})
        started = self._library.stitch_observer_start(
            self._ledger, (folder + "/").encode(), "\n".join(names).encode(), "\n".join(PASSING).encode()
        )
        if not started:
            raise OSError(f"PyTorch {torch.__version__} cannot be watched")
        _close_ways_around(self._lookup, self._redispatch)
        scalars.install()
        self._install_audit(folder)
        before = self._library.stitch_observer_observed()
        self._canary()
        if self._library.stitch_observer_observed() == before:
            raise OSError(f"PyTorch {torch.__version__} shows its operators to no observer")

    def watch_captures(self, runtime: str) -> None:
        """From now on for operators that go into CUDA graphs; `runtime` is the CUDA runtime's library. Raises a Fault
        where this PyTorch cannot be watched."""
        if not self._library.stitch_observer_watch_captures(runtime.encode()):
            raise Fault(f"PyTorch {torch.__version__} does not show what it puts into CUDA graphs")

    def allow(self, libraries: Iterable[str]) -> None:
        """The candidate may load these as well, and no more: the supervisor has read them."""
        self._library.stitch_observer_allow("\n".join(libraries).encode())

    def begin_call(self, seen_twice: bool = False) -> None:
        """forward may read a few single numbers of tensors again. `seen_twice`: the observer meets each of them before
        and behind another one."""
        self._library.stitch_observer_begin_call(int(seen_twice))

    def enforce(self) -> None:
        """The candidate is constructed: operators are forbidden now."""
        self._enforced = True
        self._library.stitch_observer_enforce(int(self._seals))

    def check(self) -> None:
        """Ends the process where the observer no longer sees what runs."""
        seen = self._library.stitch_observer_observed
        before = seen()
        self._canary()
        if self._enforced and seen() == before:
            self._library.stitch_observer_tell_of_blindness()
            os._exit(_LEDGER_GONE)

    def counts(self) -> dict[str, int]:
        """How often bytes were moved by PyTorch."""
        return {name: int(self._library.stitch_observer_count(name.encode())) for name in COUNTED}

    def _install_audit(self, folder: str) -> None:
        """What is judged, and where, lies in the observer: no name or object of Python's leads to it."""
        library = ctypes.PyDLL(self._library._name)  # it asks Python
        read = os.environ.get("STITCHCUDA_NATIVE_FILES", "")
        installed = [sys.prefix, sys.base_prefix, *sys.path, "/usr", "/lib", "/lib64"]
        installed += [os.environ.get("STITCHCUDA_EMULATOR", ""), self._library._name]
        own = os.path.realpath(folder)
        places = [place for place in installed if place and os.path.realpath(place) != own]
        library.stitch_observer_libraries(folder.encode(), read.encode(), "\n".join(places).encode())
        lists = (COMPUTING_MODULES, _COMPILING_MODULES, _LOOKED_UP)
        if not library.stitch_observer_audit(*("\n".join(sorted(names)).encode() for names in lists)):
            raise OSError("this Python has no audit hooks")


def _close_ways_around(guarded: Any, redispatching: Any) -> None:
    """Takes from Python what calls a kernel past the dispatcher's observers, or switches them off."""
    gone = []
    handles = torch._C._DispatchOperatorHandle
    redispatch = handles.__dict__.get("redispatch_boxed")
    for owner, names in _WAYS_AROUND:
        for name in names:
            if hasattr(owner, name):
                gone.append(getattr(owner, name))
                delattr(owner, name)
            if gone and isinstance(gone[-1], type) and not hasattr(owner, name):
                setattr(owner, name, type(name, (), {}))  # modules of PyTorch name it in annotations
    if redispatch is not None:
        try:
            handles.redispatch_boxed = redispatching(redispatch, handles, torch._C.FunctionSchema)
        except ValueError:
            pass  # it has them otherwise: nobody redispatches then
    original = torch._C._get_operation_overload
    torch._C._get_operation_overload = guarded(ctypes.py_object(original))
    gone.append(original)
    # PyTorch's own modules have imported some of them by name; Python keeps a copy of what a native module began with.
    for holder in gc.get_referrers(*gone):
        if isinstance(holder, dict):
            for name in [key for key, value in holder.items() if any(value is each for each in gone)]:
                del holder[name]
    for thing in gc.get_objects():
        if type(thing) is torch._ops.OpOverload:
            thing._op_dk = None

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

from .absent import COMPUTING_MODULES
from .channel import Fault
from .operators import CANARY, COUNTED, PASSING

# They compute beside the device.
_COMPUTING_LIBRARIES = ("libtorch", "libc10", "libmkl", "openblas", "libblas", "libgslcblas", "libblis", "libdnnl")
_PROCESSES = frozenset(
    "subprocess.Popen os.system os.exec os.fork os.forkpty os.posix_spawn os.spawn os.startfile pty.spawn".split()
)
# They write kernels, or load those they wrote, which then run past the dispatcher.
_COMPILING_MODULES = ("torch._inductor.compile_fx", "torch._inductor.package")
# Whoever looks these up by hand gets code, or memory for code, that nobody has read, or leaves the process. The
# kernel's filter answers for what does not pass here.
_LOOKED_UP = frozenset(
    "dlopen dlmopen dlsym dlvsym dlinfo mmap mmap64 mremap mprotect pkey_mprotect memfd_create shm_open syscall "
    "personality prctl arch_prctl ptrace process_vm_readv process_vm_writev fork vfork clone posix_spawn posix_spawnp "
    "system popen execl execlp execv execve execvp fexecve".split()
)
_LEDGER_GONE = 97
_WAYS_AROUND: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (torch._C._autograd, ("_enable_record_function", "_clear_callbacks")),
    (torch._C, ("_dispatch_get_computed_kernel_for_dispatch_key", "_jit_to_static_module", "_fuse_to_static_module")),
    (torch._C._DispatchOperatorHandle, ("redispatch_boxed",)),
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

    def check(self) -> None:
        """Guard's."""

    def counts(self) -> dict[str, int]:
        """Guard's."""
        return {}


class Guard(NoGuard):
    """`observer` is the native library, `ledger` the pipe."""

    def __init__(self, observer: str, ledger: int) -> None:
        self._library = ctypes.CDLL(observer)
        self._library.stitch_observer_observed.restype = ctypes.c_uint64
        self._library.stitch_observer_count.restype = ctypes.c_uint64
        self._lookup = ctypes.PyDLL(observer).stitch_observer_guard
        self._lookup.restype = ctypes.py_object
        self._ledger = ledger
        self._canary = torch._nnpack_available
        self._enforced = False

    def watch(self, folder: str) -> None:
        """From now on. `folder` holds the candidate's own files. Raises OSError where this PyTorch cannot be
        watched."""
        names = sorted({name.split(".")[0] for name in torch._C._dispatch_get_all_op_names()})
        started = self._library.stitch_observer_start(
            self._ledger, (folder + "/").encode(), "\n".join(names).encode(), "\n".join(PASSING).encode()
        )
        if not started:
            raise OSError(f"PyTorch {torch.__version__} cannot be watched")
        _close_ways_around(self._lookup)
        self._native = _NativeCode(folder)
        self._install_audit(self._native)
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
        """The candidate may load these as well: the supervisor has read them."""
        self._native.add(libraries)

    def enforce(self) -> None:
        """The candidate is constructed: operators are forbidden now."""
        self._enforced = True
        self._library.stitch_observer_enforce()

    def check(self) -> None:
        """Ends the process where the observer no longer sees what runs."""
        seen = self._library.stitch_observer_observed
        before = seen()
        self._canary()
        if self._enforced and seen() == before:
            self._library.stitch_observer_tell(b"event", b"switched off the observer of operators")
            os._exit(_LEDGER_GONE)

    def counts(self) -> dict[str, int]:
        """How often bytes were moved by PyTorch."""
        return {name: int(self._library.stitch_observer_count(name.encode())) for name in COUNTED}

    def _install_audit(self, native: _NativeCode) -> None:
        tell = self._library.stitch_observer_tell

        def hook(event: str, arguments: tuple[Any, ...]) -> None:
            said = _judged(event, arguments, native)
            if said is not None:
                tell(said[0], said[1].encode()[:120])
                if said[0] == b"event":
                    raise PermissionError(said[1])

        sys.addaudithook(hook)


class _NativeCode:
    """Whose a library is, by where it truly lies. The candidate's own must be among those that the supervisor has read;
    it names them in the environment, which the candidate has no hand in yet."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.realpath(folder) + "/"
        self._libraries: frozenset[str] = frozenset()
        self.add(os.environ.get("STITCHCUDA_NATIVE_FILES", "").split("\n"))
        self._emulator = os.environ.get("STITCHCUDA_EMULATOR", "")
        installed = [sys.prefix, sys.base_prefix, *sys.path]
        places = [os.path.realpath(place) + "/" for place in installed if place] + ["/usr/", "/lib/", "/lib64/"]
        self._installed = tuple(place for place in places if place != self._folder)

    def add(self, libraries: Iterable[str]) -> None:
        """More that was read."""
        self._libraries |= {os.path.realpath(path) for path in libraries if path}

    def judged(self, library: str) -> tuple[bytes, str] | None:
        """(kind, what it means) of loading it."""
        given, path = os.path.basename(library), os.path.realpath(library)
        name = os.path.basename(path)
        if name.startswith(_COMPUTING_LIBRARIES) or given.startswith(_COMPUTING_LIBRARIES):
            return b"event", f"opened {name}"
        if "/" not in library or library == self._emulator:
            return None  # without a folder it is one of the system's: the loader's search path holds no others
        if path in self._libraries:
            return b"library", name
        if path.startswith(self._installed) and not path.startswith(self._folder):
            return None
        return b"event", f"loaded {name}, which is not among the libraries that it came with"


def _judged(event: str, arguments: tuple[Any, ...], native: _NativeCode) -> tuple[bytes, str] | None:
    """(kind, what the candidate did) of an event that matters."""
    if event in _PROCESSES:
        return b"event", "started another process"
    if event == "ctypes.dlopen":
        return native.judged(_text(arguments[0])) if arguments[0] else None
    if event in ("ctypes.dlsym", "ctypes.dlsym/handle") and _text(arguments[1]) in _LOOKED_UP:
        return b"event", f"looked up {_text(arguments[1])}"
    if event == "import":
        top = str(arguments[0]).split(".")[0]
        if top in COMPUTING_MODULES and sys.modules.get(top, top) is not None:
            return b"event", f"imported {top}"
        if str(arguments[0]) in _COMPILING_MODULES:
            return b"operator", "torch.compile"
        return native.judged(_text(arguments[1])) if arguments[1] else None
    return None


def _text(name: Any) -> str:
    return os.fsdecode(name) if isinstance(name, (str, bytes, os.PathLike)) else str(name)


def _close_ways_around(guarded: Any) -> None:
    """Takes from Python what calls a kernel past the dispatcher's observers, or switches them off."""
    gone = []
    for owner, names in _WAYS_AROUND:
        for name in names:
            if hasattr(owner, name):
                gone.append(getattr(owner, name))
                delattr(owner, name)
    for module in list(sys.modules.values()):  # PyTorch's own modules have imported some of them by name
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if any(value is function for function in gone):
                delattr(module, name)
    original = torch._C._get_operation_overload
    torch._C._get_operation_overload = guarded(ctypes.py_object(original))
    for thing in gc.get_objects():
        if type(thing) is torch._ops.OpOverload:
            thing._op_dk = None

# SPDX-License-Identifier: Apache-2.0
"""Keeps this process from taking more memory than the machine has: an allocation that is refused can be told in a
sentence, while a machine that runs full kills whom it likes."""

from __future__ import annotations

import resource

_MIN_BYTES = 1 << 30  # PyTorch itself needs about a third of it
_CGROUP = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)
_MARKS = ("DefaultCPUAllocator: can't allocate memory", "Unable to allocate", "out of memory", "Cannot allocate memory")


def _number(path: str) -> int | None:
    try:
        with open(path, encoding="ascii") as stream:
            return int(stream.read())
    except (OSError, ValueError):  # not there, or "max"
        return None


def available_bytes() -> int | None:
    """What the machine, or the container this runs in, has left now; None where nobody says."""
    found = []
    try:
        with open("/proc/meminfo", encoding="ascii") as stream:
            found += [int(line.split()[1]) << 10 for line in stream if line.startswith("MemAvailable:")]
    except (OSError, ValueError, IndexError):
        pass
    for limit, used in _CGROUP:
        most, now = _number(limit), _number(used)
        if most is not None and now is not None:
            found.append(max(0, most - now))
    return min(found) if found else None


def limit_memory() -> None:
    """From here on, allocations that do not fit what is left now fail. What is mapped from files does not count, nor
    do addresses that are only reserved, as CUDA does by the terabyte."""
    available = available_bytes()
    if available is None:
        return
    most = max(_MIN_BYTES, available)
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    try:
        resource.setrlimit(resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    except (OSError, ValueError):
        pass  # no limit is what there was before


def is_out_of_memory(error: BaseException) -> bool:
    """Whether `error` is an allocation that was refused: Python's, NumPy's, or PyTorch's on the CPU or a GPU."""
    return isinstance(error, MemoryError) or any(mark in str(error) for mark in _MARKS)

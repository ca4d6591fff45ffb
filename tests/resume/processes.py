# SPDX-License-Identifier: Apache-2.0
"""Processes as /proc shows them: who descends from whom, and who is still there."""

import os
import signal
import time


def stat_of(pid: int) -> tuple[int, str, int] | None:
    """(parent, state, start) of a process that is there."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return None
    return int(fields[1]), fields[0], int(fields[19])


def descendants(root: int) -> dict[int, int]:
    """pid -> start time of all below `root`, and its own."""
    parents, starts = {}, {}
    for name in os.listdir("/proc"):
        found = stat_of(int(name)) if name.isdigit() else None
        if found:
            parents[int(name)], _, starts[int(name)] = found
    family = [root]
    for pid in family:
        family += [child for child, parent in parents.items() if parent == pid and child not in family]
    return {pid: starts[pid] for pid in family if pid in starts}


def alive(family: dict[int, int]) -> list[int]:
    """Those that still run; a zombie does not."""
    found = []
    for pid, start in family.items():
        now = stat_of(pid)
        if now and now[2] == start and now[1] not in "ZX":
            found.append(pid)
    return found


def marked(mark: str) -> list[int]:
    """Processes that were started with `mark` in their environment."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if mark.encode() in file.read() and (stat_of(int(name)) or (0, "Z"))[1] not in "ZX":
                    found.append(int(name))
        except (OSError, ValueError):
            continue
    return found


def kill_all(family: dict[int, int]) -> None:
    """At one moment, as the end of a container does: nobody sees another go."""
    for sent in (signal.SIGSTOP, signal.SIGKILL):
        for pid in family:
            try:
                os.kill(pid, sent)
            except ProcessLookupError:
                pass


def wait_until(condition, seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True

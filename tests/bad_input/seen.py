# SPDX-License-Identifier: Apache-2.0
"""Which processes are below another one, and what they are called."""
from __future__ import annotations

import os
import pathlib


def processes() -> dict[int, int]:
    """Each process and its parent."""
    found = {}
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit():
                found[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            pass
    return found


def is_below(pid: int, root: int, parents: dict[int, int]) -> bool:
    while pid > 1 and pid != root:
        pid = parents.get(pid, 0)
    return pid == root


def words_of(pid: int) -> list[str]:
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    except OSError:
        return []


def is_called(words: list[str], name: str) -> bool:
    return bool(words) and os.path.basename(words[0]).startswith(name)


def below(root: int) -> dict[int, list[str]]:
    """The words of each process that descends from `root`, but for the one that asks."""
    parents = processes()
    return {pid: words_of(pid) for pid in sorted(parents) if pid != os.getpid() and is_below(pid, root, parents)}

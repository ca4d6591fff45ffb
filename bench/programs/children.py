# SPDX-License-Identifier: Apache-2.0
"""Commands that end: by themselves, at a limit of seconds or of memory, or with whoever started them. Each is a process
group of its own, and nothing of it is left behind."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import signal
import subprocess
import threading
import time

GRACE_SECONDS = 5.0  # between the friendly signal and the other
LOOK_SECONDS = 0.1
PAGE = os.sysconf("SC_PAGE_SIZE")

is_ending = threading.Event()  # what fails from now on was interrupted
_live: set[subprocess.Popen] = set()
_lock = threading.Lock()


@dataclasses.dataclass
class Ended:
    status: int
    stdout: str
    seconds: float
    stopped: str = ""  # why it was, in words; empty where it ended by itself


def start(command: list[str], log: pathlib.Path, niceness: int = 0, **more) -> subprocess.Popen:
    """What it says on stderr is appended to `log`."""
    with log.open("a") as errors:
        child = subprocess.Popen(command, stderr=errors, text=True, start_new_session=True, **more)
    if niceness:
        os.setpriority(os.PRIO_PROCESS, child.pid, niceness)
    with _lock:
        _live.add(child)
    return child


def end(child: subprocess.Popen, grace: float = GRACE_SECONDS) -> None:
    """Asks the group to end, then makes it."""
    below = {process: _born(process) for process in descendants(child.pid)} if child.poll() is None else {}
    _signal(child, signal.SIGTERM)
    try:
        child.wait(grace)
    except subprocess.TimeoutExpired:
        pass
    _signal(child, signal.SIGKILL)
    for process, born in below.items():  # those that have left the group
        if process != child.pid and born and _born(process) == born:
            os.kill(process, signal.SIGKILL)
    child.wait()
    if child.stdin is not None:
        child.stdin.close()
    with _lock:
        _live.discard(child)


def end_all() -> None:
    with _lock:
        live = list(_live)
    for child in live:
        end(child)


def end_with_this_process() -> None:
    """Being groups of their own, they do not hear what a terminal tells this one."""

    def interrupted(*_) -> None:
        is_ending.set()
        end_all()
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupted)


def run(
    command: list[str], log: pathlib.Path, seconds: float, most_bytes: float = float("inf"), niceness: int = 0, **more
) -> Ended:
    """To its end, `seconds`, or until it and all below it hold more memory than that."""
    begin = time.monotonic()
    child = start(command, log, niceness, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, **more)
    said: list[str] = []
    reader = threading.Thread(target=lambda: said.append(child.stdout.read()), daemon=True)
    reader.start()
    stopped, looked = "", begin
    while child.poll() is None and not stopped:
        try:
            child.wait(LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            now = time.monotonic()
            if now - begin > seconds:
                stopped = f"took longer than {seconds:.0f} s"
            elif most_bytes < float("inf") and now - looked > 10 * LOOK_SECONDS:
                looked, held = now, held_bytes(child.pid)
                if held > most_bytes:
                    stopped = f"held {held / 1e9:.1f} GB of memory, more than the {most_bytes / 1e9:.1f} GB it is given"
    end(child, GRACE_SECONDS if stopped else 0)
    reader.join(GRACE_SECONDS)
    if not reader.is_alive():
        child.stdout.close()
    return Ended(child.returncode, said[0] if said else "", time.monotonic() - begin, stopped)


def last_words(log: pathlib.Path) -> str:
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()] if log.exists() else []
    return lines[-1].strip()[:300] if lines else "it said nothing"


def _signal(child: subprocess.Popen, number: int) -> None:
    try:
        os.killpg(child.pid, number)
    except (ProcessLookupError, PermissionError):
        pass


def _fields(process: int | str) -> list[str]:
    """Of /proc/PID/stat, those behind the name; none where it has ended."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def is_alive(process: int) -> bool:
    fields = _fields(process)
    return bool(fields) and fields[0] != "Z"


def _born(process: int) -> str:
    """Tells a process from a later one of the same number."""
    fields = _fields(process)
    return fields[19] if fields and fields[0] != "Z" else ""


def descendants(root: int) -> list[int]:
    """Processes below `root`, and itself."""
    children: dict[int, list[int]] = {}
    for process in map(int, filter(str.isdigit, os.listdir("/proc"))):
        fields = _fields(process)
        if fields:
            children.setdefault(int(fields[1]), []).append(process)
    found = [root]
    for process in found:
        found += children.get(process, [])
    return found


def held_bytes(root: int) -> int:
    """Of memory that each has to itself, with all below it: what is shared would count many times."""
    total = 0
    for process in descendants(root):
        try:
            resident, shared = pathlib.Path(f"/proc/{process}/statm").read_text().split()[1:3]
        except OSError:
            continue
        total += (int(resident) - int(shared)) * PAGE
    return total

# SPDX-License-Identifier: Apache-2.0
"""Runs one case and says what is wrong with how it ended. A process of its own for each case, so that whatever the
command leaves running falls to it as the subreaper and is seen."""
from __future__ import annotations

import ctypes
import fnmatch
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

from case import Case, read_case, with_expectation

ROOT = pathlib.Path(__file__).resolve().parents[2]
PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_REC, MS_PRIVATE = 0x4000, 0x40000
LIBC = ctypes.CDLL(None, use_errno=True)
# What only a crash prints. A user's own exception is told in a sentence.
MARKS_OF_A_CRASH = ("Traceback (most recent call last)", "terminate called", "std::", "core dumped",
                    "runtime error:", "AddressSanitizer", "STITCH_CHECK", "check failed")
PATIENCE_S = 5.0


def run_case(case: Case, build: pathlib.Path, scratch: pathlib.Path, update: bool) -> list[str]:
    """The problems; empty when the case passes. `scratch` holds `base`, the cache and this case's own folders."""
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    is_alone = has_own_shared_memory()
    folder, temporary = scratch / "cases" / case.name, scratch / "temporary" / case.name
    temporary.mkdir(parents=True)
    lay_out(case, folder, scratch)
    environment = environment_of(build, scratch, folder, temporary)
    if "setup" in case.values:
        subprocess.run(["bash", "-euc", case.values["setup"]], cwd=folder, env=environment, check=True,
                       stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=120)
    before = contents(folder)
    code, stdout, stderr, seconds = run_command(case, folder, environment)
    told = made_alike(stderr, {str(folder): "FOLDER", str(scratch): "SCRATCH", str(build): "BUILD", str(ROOT): "ROOT"})
    problems = [] if seconds < case.deadline_s() else [f"did not end within {case.deadline_s():g} s"]
    problems += [f"prints {mark!r}" for mark in MARKS_OF_A_CRASH if mark in stdout + stderr]
    problems += left_running() + [f"left {name} in the temporary folder" for name in sorted(os.listdir(temporary))]
    problems += [f"left {name} in /dev/shm" for name in os.listdir("/dev/shm") if is_alone]
    problems += changed(before, contents(folder), case.words("leaves"))
    problems += json_problems(case, stdout)
    if update and not problems:
        case.path.write_text(with_expectation(case, code, told))
    elif not update:
        problems += [] if str(code) == case.values.get("exit") else [f"exit {code}, not {case.values.get('exit')}"]
        expected = case.values.get("expect", "")
        problems += [] if told.strip() == expected.strip() else [f"says\n{told.rstrip()}\n  not\n{expected}"]
    return problems


def has_own_shared_memory() -> bool:
    """Puts this process and its children before an empty /dev/shm, since others on the machine use the real one.
    False where that is not allowed."""
    user, group, flags = os.getuid(), os.getgid(), CLONE_NEWNS | (CLONE_NEWUSER if os.geteuid() else 0)
    if LIBC.unshare(flags) != 0:
        return False
    if flags & CLONE_NEWUSER:
        pathlib.Path("/proc/self/setgroups").write_text("deny")
        pathlib.Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        pathlib.Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    return (LIBC.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) == 0
            and LIBC.mount(b"none", b"/dev/shm", b"tmpfs", 0, None) == 0)


def lay_out(case: Case, folder: pathlib.Path, scratch: pathlib.Path) -> None:
    folder.mkdir(parents=True)
    if "base" in case.words("needs"):
        shutil.copytree(scratch / "base", folder, dirs_exist_ok=True)
        task = folder / "base" / "task.json"
        task.write_text(task.read_text().replace(str(scratch / "base"), str(folder)))
    for name, text in case.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def environment_of(build: pathlib.Path, scratch: pathlib.Path, folder: pathlib.Path,
                   temporary: pathlib.Path) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("STITCHCUDA_")}
    return dict(own, PATH=f"{build}:{os.environ['PATH']}", STITCHCUDA_CACHE=str(scratch / "cache"), LC_ALL="C.UTF-8",
                XDG_STATE_HOME=str(scratch / "state"), PYTHONDONTWRITEBYTECODE="1",
                TMPDIR=str(temporary), HOME=str(folder), BUILD=str(build), SCRATCH=str(scratch), ROOT=str(ROOT))


def run_command(case: Case, folder: pathlib.Path, environment: dict[str, str]) -> tuple[int, str, str, float]:
    """Exit status, what it printed, seconds. At the deadline the whole group is killed."""
    started = time.monotonic()
    child = subprocess.Popen(["bash", "-c", case.values["run"]], cwd=folder, env=environment, text=True,
                             errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, start_new_session=True)
    try:
        stdout, stderr = child.communicate(timeout=case.deadline_s())
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        stdout, stderr = child.communicate()
    return child.returncode, stdout, stderr, time.monotonic() - started


def made_alike(text: str, names: dict[str, str]) -> str:
    """What differs from run to run (paths, process ids, times), named instead or left out."""
    for path, name in names.items():
        text = text.replace(path, name)
    text = re.sub(r"\b\d+(\.\d+)? (s|ms)\b", r"N \2", text)
    text = re.sub(r"\b\d+(\.\d+)? (KiB|MiB|GiB)\b", r"N \2", text)
    text = re.sub(r"\baside/\d+-\d+", "aside/N", text)
    # Python says where it was when the stack was full.
    text = re.sub(r"(maximum recursion depth exceeded)( while [a-z ]*Python object| in comparison)", r"\1", text)
    return re.sub(r"(stitchcuda-[a-z]+|stitchcuda(?=-\d)|tmp)(?:-\d+)*-?[A-Za-z0-9_]{6,8}\b", r"\1-XXXXXX", text)


def children() -> list[int]:
    return [int(pid) for pid in pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def left_running() -> list[str]:
    """What is still there a little after the command ended; ended here, so that the next case begins with nothing."""
    give_up = time.monotonic() + PATIENCE_S
    while True:
        running = []
        for pid in children():
            if os.waitpid(pid, os.WNOHANG)[0] == 0:
                running.append(pid)
        if not running or time.monotonic() > give_up:
            break
        time.sleep(0.05)
    problems = []
    for pid in running:
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        problems.append("left a process running: " + b" ".join(words)[:200].decode("utf-8", "replace"))
        os.kill(pid, signal.SIGKILL)
    return problems


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    """Every file and folder below `folder`, a folder as its name with a stroke."""
    found = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            found[name] = b"neither a file nor a folder"
        else:
            found.update({name + "/": b""} if path.is_dir() else {name: path.read_bytes()})
    return found


def changed(before: dict[str, bytes], after: dict[str, bytes], allowed: list[str]) -> list[str]:
    problems = []
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name) and not any(fnmatch.fnmatch(name, pattern) for pattern in allowed):
            how = "left" if name not in before else "removed" if name not in after else "changed"
            problems.append(f"{how} {name}")
    return problems[:5]


def json_problems(case: Case, stdout: str) -> list[str]:
    """With --json, standard output is one object, whatever happened."""
    if "--json" not in case.values["run"]:
        return []
    try:
        return [] if isinstance(json.loads(stdout), dict) else ["standard output is no JSON object"]
    except ValueError as error:
        return [f"standard output is not one JSON object ({error}): {stdout[:200]!r}"]


if __name__ == "__main__":
    found = run_case(read_case(pathlib.Path(sys.argv[1])), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]),
                     "--update" in sys.argv)
    print("\n".join(found))
    sys.exit(1 if found else 0)

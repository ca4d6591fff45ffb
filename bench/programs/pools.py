# SPDX-License-Identifier: Apache-2.0
"""Threads that start commands on processors of their own, and end together."""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import functools
import os
import pathlib
import re

import children


def processors(text: str) -> set[int]:
    """{0, 1, 2, 8} of "0-2,8"; an option's type."""
    parts = [re.fullmatch(r"(\d+)(?:-(\d+))?", part) for part in text.split(",")]
    if None in parts:
        raise argparse.ArgumentTypeError(f"{text!r} names no processors: 0-3 or 0,2,8-15")
    found = {number for part in parts for number in range(int(part[1]), int(part[2] or part[1]) + 1)}
    missing = sorted(found - os.sched_getaffinity(0))
    if missing or not found:
        which = missing[0] if missing else "that there is none of"
        raise argparse.ArgumentTypeError(f"{text!r}: this process may not use processor {which}")
    return found


def pool_on(jobs: int, cpus: set[int] | None) -> concurrent.futures.ThreadPoolExecutor:
    """Threads whose child processes run on those processors; None: on all. (A child has the affinity of the thread that
    starts it.)"""
    pin = functools.partial(os.sched_setaffinity, 0, cpus) if cpus else None
    return concurrent.futures.ThreadPoolExecutor(jobs, initializer=pin)


def move(process: int, cpus: set[int] | None) -> None:
    """All threads of a process to other processors, where it is still there."""
    with contextlib.suppress(OSError):
        for thread in pathlib.Path(f"/proc/{process}/task").iterdir() if cpus else ():
            os.sched_setaffinity(int(thread.name), cpus)


@contextlib.contextmanager
def ending_all(*pools: concurrent.futures.ThreadPoolExecutor):
    """An exception ends what is under way in all of them, and nothing more is begun."""
    try:
        yield
    except BaseException:
        children.is_ending.set()
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)
        children.end_all()
        raise

# SPDX-License-Identifier: Apache-2.0
"""What is seen of runs that go on beside each other: who has the emulated device, who waits for it, what they take.

The device is a queue in a file (src/evaluate/processes/gpu_share.h), a line a run that has it or waits, in order of
arrival. It is read often, and from what was read follow the turns: when a run joined, had the device, and left.
"""
from __future__ import annotations

import dataclasses
import fcntl
import os
import pathlib
import re
import threading
import time

QUEUE_SECONDS = 0.01
PROCESSES_EVERY = 10  # looks at the queue
OWN = ("stitchcuda", "stitchcuda-chat")  # ours; Python, compilers, workers and cages are judging
SERVED = 15  # letters of a name that /proc has
WORKER = "stitchcuda-worker"[:SERVED]
LINGER_SECONDS = 4.0  # that a worker may take to end behind its run's turn, on a machine without a processor to spare
HAND_OVER_SECONDS = 0.1  # src/evaluate/processes/gpu_share.cc looks so often whether it has its turn
TICKS = os.sysconf("SC_CLK_TCK")
MEGABYTE = 1e6

Interval = tuple[float, float]
Queue = list[tuple[str, int]]  # mark and process of each that has the device or waits


@dataclasses.dataclass
class Turn:
    """Of a run at the device, in seconds."""

    process: int
    joined: float
    began: float | None = None  # nothing: it never had it
    left: float = 0

    @property
    def waited(self) -> float:
        return (self.left if self.began is None else self.began) - self.joined

    @property
    def held(self) -> float:
        return 0 if self.began is None else self.left - self.began


def turns_of(looks: list[tuple[float, Queue]], at_once: int) -> list[Turn]:
    """By what the queue was seen to be. The first `at_once` have the device, the others wait."""
    turns: dict[str, Turn] = {}
    ended: list[Turn] = []
    for moment, queue in looks:
        for mark in set(turns) - {mark for mark, _ in queue}:
            turns[mark].left = moment
            ended.append(turns.pop(mark))
        for place, (mark, process) in enumerate(queue):
            turn = turns.setdefault(mark, Turn(process, moment))
            if turn.began is None and place < at_once:
                turn.began = moment
            turn.left = moment
    return sorted([*ended, *turns.values()], key=lambda turn: (turn.joined, turn.process))


def overtaken(waiting: list[Turn], turns: list[Turn]) -> int:
    """How often one run was given the device while one of `waiting` waited, at most: in order of arrival, once."""
    most = 0
    for turn in waiting:
        until = turn.joined + turn.waited
        given = [each.process for each in turns if each.process != turn.process and each.began is not None
                 and turn.joined < each.began <= until]
        most = max([most, *(given.count(process) for process in given)])
    return most


def wait_in_shares(waiting: list[Turn], turns: list[Turn], at_once: int) -> float:
    """The longest wait by what is fair: that each other run has the device once, for as long as anybody ever had it."""
    others = len({turn.process for turn in turns}) - 1
    fair = others * (max((turn.held for turn in turns), default=0) + HAND_OVER_SECONDS) / at_once
    return max((turn.waited for turn in waiting), default=0) / fair if fair > 0 else 0


def merged(intervals: list[Interval]) -> list[Interval]:
    found: list[Interval] = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def overlap(first: list[Interval], second: list[Interval]) -> float:
    """Part of the time of the second that the first covers."""
    whole = sum(end - start for start, end in merged(second))
    both = sum(max(0.0, min(a[1], b[1]) - max(a[0], b[0])) for a in merged(first) for b in merged(second))
    return both / whole if whole > 0 else 0


@dataclasses.dataclass
class Process:
    parent: int
    name: str
    seconds: float  # of processor time


def processes() -> dict[int, Process]:
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue
        behind = text[text.rindex(")") + 2:].split()
        if behind[0] not in "ZX":
            name = text[text.index("(") + 1:text.rindex(")")]
            found[int(path.parent.name)] = Process(int(behind[1]), name, (int(behind[11]) + int(behind[12])) / TICKS)
    return found


def peak_bytes(process: int) -> int:
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{process}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


def beginning_of(process: int) -> str:
    """In ticks since the machine began: a process's number may be another's by now. Nothing for one that is gone."""
    try:
        text = pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return ""
    return text[text.rindex(")") + 2:].split()[19]


def read_queue(path: pathlib.Path) -> Queue:
    """Whole, since nobody writes meanwhile; without those who were killed in it, as the runs themselves read it."""
    try:
        with path.open() as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            lines = [line.split() for line in file.read().splitlines()]
    except OSError:
        return []
    return [(" ".join(words[:3]), int(words[1])) for words in lines if beginning_of(int(words[1])) == words[2]]


@dataclasses.dataclass
class Watch:
    """Looks at the runs `roots` until it is told to end: `with Watch(...) as watch`."""

    roots: list[int]
    queue: pathlib.Path
    at_once: int  # runs that may have the device
    looks: list[tuple[float, Queue]] = dataclasses.field(default_factory=list)
    peaks: dict[tuple[int, int], int] = dataclasses.field(default_factory=dict)  # root, process: bytes
    chats: dict[tuple[int, int], float] = dataclasses.field(default_factory=dict)  # root, process: processor seconds
    working: int = 0  # runs with workers at once, at most
    out_of_turn: set[int] = dataclasses.field(default_factory=set)  # runs with workers that did not have the device
    seen_out_of_turn: list[str] = dataclasses.field(default_factory=list)  # sentences, the first few
    workers: dict[int, int] = dataclasses.field(default_factory=dict)  # as last seen: process, root
    having: set[int] = dataclasses.field(default_factory=set)  # who had the device at the last look
    left: dict[int, float] = dataclasses.field(default_factory=dict)  # process: when it was first seen to have left it
    ended: threading.Event = dataclasses.field(default_factory=threading.Event)

    def __enter__(self) -> Watch:
        self.thread = threading.Thread(target=self.look)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()

    def look(self) -> None:
        number = 0
        while not self.ended.wait(QUEUE_SECONDS):
            having = self.look_at_queue()
            if number % PROCESSES_EVERY == 0:
                self.look_at_processes(having)
            number += 1
        self.look_at_queue()

    def look_at_queue(self) -> set[int]:
        """Who has the device."""
        queue, now = read_queue(self.queue), time.monotonic()
        if not self.looks or self.looks[-1][1] != queue:
            self.looks.append((now, queue))
        return self.note_having({process for _, process in queue[:self.at_once]}, now)

    def note_having(self, having: set[int], now: float) -> set[int]:
        """A look may come late: whoever has left since the one before may have left just now."""
        self.left.update(dict.fromkeys(self.having - having, now))
        self.having = having
        return having

    def look_at_processes(self, having: set[int]) -> None:
        """`having`: who has the device now."""
        began, found = time.monotonic(), processes()
        workers = {}
        for process, about in found.items():
            if about.name not in {own[:SERVED] for own in OWN} | {WORKER}:
                continue
            root = self.root_of(process, found)
            if root is None:
                continue
            if about.name == WORKER:
                workers[process] = root
                continue
            key = (root, process)
            self.peaks[key] = max(self.peaks.get(key, 0), peak_bytes(process))
            if process != root:
                self.chats[key] = about.seconds
        self.note_workers(workers, having, self.lately(began))

    def lately(self, now: float) -> set[int]:
        return {root for root, moment in self.left.items() if now - moment < LINGER_SECONDS}

    def note_workers(self, workers: dict[int, int], having: set[int], lately: set[int]) -> None:
        """A look takes its time, in which one may end and another begin: those seen twice were there in between. One
        whose run had the device `lately` may be ending."""
        working = {root for process, root in workers.items() if self.workers.get(process) == root}
        working -= lately - having
        self.working = max(self.working, len(working))
        for root in sorted(working - having - self.out_of_turn):
            own = [process for process, of in workers.items() if of == root and self.workers.get(process) == root]
            before = "left it" if root in self.left else "had not had it"
            self.seen_out_of_turn.append(
                f"run {root} had workers {own} while {sorted(having) or 'nobody'} had the device; it {before} "
                f"before; the queue was {self.looks[-1:]}, all workers {workers}")
        self.out_of_turn |= working - having
        self.workers = workers

    def root_of(self, process: int, found: dict[int, Process]) -> int | None:
        while process not in self.roots and process in found:
            process = found[process].parent
        return process if process in self.roots else None

    def turns(self) -> tuple[list[Turn], list[Turn]]:
        """Of the runs, and of all: others' runs may use the device, too."""
        turns = turns_of(self.looks, self.at_once)
        return [turn for turn in turns if turn.process in self.roots], turns

    def megabytes_of(self, root: int) -> float:
        return sum(size for (at, _), size in self.peaks.items() if at == root) / MEGABYTE

    def chat_seconds_of(self, root: int) -> float:
        return sum(seconds for (at, _), seconds in self.chats.items() if at == root)

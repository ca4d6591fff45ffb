# SPDX-License-Identifier: Apache-2.0
"""Runs at once: what the queue of a device tells of turns, and which figure passes which limit."""
from __future__ import annotations

import argparse
import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import crowd_watch  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("agents_crowd", str(HERE / "crowd"))
crowd = importlib.util.module_from_spec(importlib.util.spec_from_loader("agents_crowd", LOADER))
sys.modules["agents_crowd"] = crowd
LOADER.exec_module(crowd)

GOOD = {"own_ms": 20, "own_mb": 60, "on_device": 1, "out_of_turn": 0, "answered_at_once": 4, "overlap": 0.5,
        "overtaken": 1, "wait": 0.9, "rounds": 4, "turns": 9, "device_seconds": 60, "longest_wait_seconds": 9,
        "longest_turn_seconds": 3}


def queue_of(*runs: int) -> crowd_watch.Queue:
    """A run's mark is its number and how often it came: 12 is the second turn of run 1."""
    return [(f"{run} 0 0", run // 10) for run in runs]


def turns_of(*queues: tuple[int, ...], at_once: int = 1) -> list[crowd_watch.Turn]:
    return crowd_watch.turns_of([(float(i), queue_of(*queue)) for i, queue in enumerate(queues)], at_once)


def shares(turns: list[crowd_watch.Turn]) -> float:
    return round(crowd_watch.wait_in_shares(turns, turns, 1) * (1 + crowd_watch.HAND_OVER_SECONDS), 9)  # turns of 1 s


def test_turns_follow_from_the_queue() -> None:
    first, second, third = turns_of((11,), (11, 21), (21,), (21,), (31,), ())
    assert (first.waited, first.held) == (0, 2) and (second.waited, second.held) == (1, 2)
    assert (third.process, third.joined, third.began, third.left) == (3, 4, 4, 5)
    two = turns_of((11, 21, 31), (11, 31), (), at_once=2)
    assert [turn.began for turn in two] == [0, 0, 1]


def test_one_that_ends_without_the_device_has_waited_to_its_end() -> None:
    _, gone = turns_of((11,), (11, 21), (11, 21), (11,), ())
    assert gone.began is None and (gone.waited, gone.held) == (2, 0)


def test_in_order_of_arrival_nobody_is_overtaken_twice() -> None:
    fair = turns_of((11, 21, 31), (21, 31, 12), (31, 12, 22), (12, 22), (22,), ())
    assert crowd_watch.overtaken(fair, fair) == 1 and shares(fair) == 1
    pushy = turns_of((31, 11), (21, 11), (22, 11), (23, 11), (11,), ())
    assert crowd_watch.overtaken(pushy, pushy) == 3, "run 1 waits while run 2 is given the device three times"
    assert shares(pushy) == 2, "four waited, of two others that had it one each time"


def test_a_device_that_is_left_alone_while_one_waits_is_a_long_wait() -> None:
    late = crowd_watch.turns_of([(0, queue_of(11, 21)), (1, queue_of(21)), (2, [])], 1)
    assert shares(late) == 1
    late[1].began = 9  # though nobody had it from 1 on
    late[1].left = 10
    assert shares(late) == 9


def test_those_who_wait_may_be_some_of_all() -> None:
    turns = turns_of((31, 11), (21, 11), (22, 11), (23, 11), (11,), ())
    ours = [turn for turn in turns if turn.process == 2]
    assert crowd_watch.overtaken(ours, turns) == 0 and crowd_watch.wait_in_shares(ours, turns, 1) == 0


def test_workers_count_where_they_are_seen_twice() -> None:
    watch = crowd_watch.Watch([1, 2], pathlib.Path("none"), 1)
    watch.note_workers({10: 1, 20: 2}, {1}, {1})  # one may have ended before the other began
    watch.note_workers({20: 2, 21: 2}, {2}, {1, 2})
    watch.note_workers({20: 2}, {2}, {1, 2})
    assert (watch.working, watch.out_of_turn) == (1, set())
    watch.note_workers({20: 2, 11: 1}, {2}, {1, 2})
    watch.note_workers({20: 2, 11: 1}, {2}, {1, 2})  # the first had it a moment before: its worker is ending
    assert (watch.working, watch.out_of_turn) == (1, set())
    watch.note_workers({20: 2, 11: 1}, {2}, {2})
    assert (watch.working, watch.out_of_turn) == (2, {1})


def test_who_left_between_two_looks_that_are_far_apart_may_have_left_just_now() -> None:
    watch = crowd_watch.Watch([1, 2], pathlib.Path("none"), 1)
    watch.note_having({1}, 0)
    watch.note_having({2}, 60)
    assert watch.lately(61) == {1}
    watch.note_having({2}, 62)
    assert watch.lately(60 + crowd_watch.LINGER_SECONDS) == set()


def test_who_was_killed_in_the_queue_is_before_nobody(tmp_path: pathlib.Path) -> None:
    ended = subprocess.Popen(["true"])
    began = crowd_watch.beginning_of(ended.pid)
    ended.wait()
    own = os.getpid()
    queue = tmp_path / "turns"
    queue.write_text(f"1 {ended.pid} {began or 1} 1\n2 {own} {crowd_watch.beginning_of(own)} 1\n3 {own} 1 1\n")
    assert crowd_watch.read_queue(queue) == [(f"2 {own} {crowd_watch.beginning_of(own)}", own)]


def test_overlap_counts_each_moment_once() -> None:
    assert crowd_watch.overlap([(0, 2), (1, 3)], [(2, 4), (2, 3), (8, 10)]) == 0.25
    assert crowd_watch.overlap([], [(0, 1)]) == 0 and crowd_watch.overlap([(0, 1)], []) == 0


def limits(*words: str) -> dict:
    return crowd.limits_of(argparse.Namespace(runs=8, at_once=4, limit=list(words)))


def test_what_is_in_all_limits_is_not_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowd.os, "cpu_count", lambda: 2)
    assert crowd.report(GOOD, limits()) == []


@pytest.mark.parametrize("name, value", [
    ("own_ms", 50.1), ("own_mb", 301), ("on_device", 2), ("on_device", 0), ("out_of_turn", 1), ("answered_at_once", 5),
    ("answered_at_once", 1), ("overlap", 0.05), ("overtaken", 2), ("wait", 1.3), ("rounds", 0),
    ("own_ms", float("nan"))])
def test_each_limit_can_be_passed(name: str, value: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowd.os, "cpu_count", lambda: 2)
    told = crowd.report({**GOOD, name: value}, limits())
    assert len(told) == 1 and told[0].startswith(f"{name} is ")


def test_a_limit_is_named_or_refused() -> None:
    assert limits("own_mb=50", "overlap=0.9")["own_mb"].at_most == 50
    assert limits("overlap=0.9")["overlap"].at_least == 0.9
    for word in ("own=1", "own_mb", "own_mb=little"):
        with pytest.raises(SystemExit, match="NAME=NUMBER"):
            limits(word)

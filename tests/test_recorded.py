# SPDX-License-Identifier: Apache-2.0
"""tests/recorded.py: what `tests/candidates/run` and `tests/adaptive/run` write down."""
from __future__ import annotations

import json
import pathlib

import pytest
from recorded import Record

WANTED = [("zeros", 1), ("zeros", 2), ("ones", 1)]


def squared(name: str, seed: int) -> dict:
    return {"kind": "wrong" if name == "zeros" else "ok", "square": seed * seed}


def test_a_run_that_was_cut_short_goes_on_where_it_was(tmp_path: pathlib.Path) -> None:
    Record(tmp_path, ("candidate", "seed")).fill(WANTED[:2], squared, 2, lambda _: "")
    asked = []
    record = Record(tmp_path, ("candidate", "seed"))
    record.fill(WANTED, lambda *each: asked.append(each) or squared(*each), 1, lambda _: "")
    assert asked == [("ones", 1)]
    lines = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert sorted(lines, key=str) == sorted(record.results, key=str)
    assert {"candidate": "zeros", "seed": 2, "kind": "wrong", "square": 4} in lines and len(lines) == 3


def test_what_had_no_verdict_is_judged_again(tmp_path: pathlib.Path) -> None:
    Record(tmp_path, ("candidate", "seed")).fill(WANTED[:1], lambda *_: {"kind": "none"}, 1, lambda _: "")
    record = Record(tmp_path, ("candidate", "seed"))
    record.fill(WANTED[:1], squared, 1, lambda _: "")
    assert [each["kind"] for each in record.results] == ["wrong"]


def test_what_is_shown_is_printed_as_it_comes(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture) -> None:
    Record(tmp_path, ("candidate", "seed")).fill(
        WANTED, squared, 1, lambda each: each["candidate"] if each["kind"] == "ok" else "")
    assert capsys.readouterr().out == "3: ones\n"


def test_a_verdict_that_fails_to_come_ends_the_run(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ZeroDivisionError):
        Record(tmp_path, ("candidate", "seed")).fill([("zeros", 0)], lambda _, seed: {"half": 1 // seed}, 1, str)

# SPDX-License-Identifier: Apache-2.0
"""The leaderboard of two runs that are written here: what can be seen of its files in short, and in headless Chromium
(long, and only where one is) links, sorting, folding by keyboard, a phone's width, dark, and that nothing is asked of a
network."""

from __future__ import annotations

import html.parser
import json
import os
import pathlib
import re
import subprocess

import bench_checks
import pytest
from test_browser import WIDTHS, browser, chromium, examine  # noqa: F401

SENTENCES = {"ok": "20 draws at 1 shapes: max error 0.41 times the reference's own",
             "wrong": "draw 3: <b>17</b> of 120"}  # fmt: skip
INTERVAL = {"ratio": 1.5, "low": 1.4, "high": 1.6, "us": 3.0, "ours_us": 2.0, "refusal": ""}


def row(task: str, outcome: str, out: str, **more) -> dict:
    number = int(task.rpartition("/")[2])
    kind = "ok" if outcome == "ok" else "wrong" if outcome == "verdict" else ""
    return {
        "schema": "stitchcuda.bench/1", "task": task, "name": f"{number}_linear", "sample": 0, "level": 1,
        "number": number, "family": "matmul", "subsets": [], "digest": f"{number:064x}",
        "standing": "sound", "standing_reason": "", "is_standing_known": True,
        "outcome": outcome, "kind": kind, "sentence": SENTENCES.get(kind, "it said nothing"),
        "where": "", "class": "clean", "class_evidence": "", "device": "NVIDIA H200", "scale": "", "others": {},
        "modelled_us": None, "executed_us": None, "first_executed_us": None,
        "measured_us": 2.0 if outcome == "ok" else None, "floor_us": 0.5,
        "over": {"graph": INTERVAL, "eager": INTERVAL} if outcome == "ok" else {},
        "out": out, "ended": "2026-11-27T01:25:53Z",
        "spent": {"seconds": 10.0 + number, "gpu_seconds": 0.0, "requests": 0, "prompt_tokens": 0, "answer_tokens": 0,
                  "dollars": 0.0},
        **more,
    }  # fmt: skip


def write_run(folder: pathlib.Path, candidates: str, rows: list[dict]) -> pathlib.Path:
    folder.mkdir(parents=True)
    tasks = [{key: line[key] for key in ("task", "name", "level", "number", "family", "subsets", "digest")}
             | {"file": f"/suite/{line['task']}.py"} for line in rows]  # fmt: skip
    run = {
        "schema": "stitchcuda.bench_run/1", "id": folder.name, "command": ["stitchcuda", "bench"],
        "suite": "kernelbench", "samples": 1, "seed": 5,
        "conditions": {"device": "gpu", "math": "fp32", "scale": "auto", "system": folder.name},
        "arguments": [], "task_arguments": [], "baselines": ["eager", "graph"], "candidates": candidates,
        "asks_admission": False, "task_seconds": 60.0, "task_bytes": 1 << 30, "tasks": tasks,
    }  # fmt: skip
    (folder / "bench.json").write_text(json.dumps(run))
    (folder / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in rows))
    return folder


@pytest.fixture(scope="module")
def board(build: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    base = tmp_path_factory.mktemp("board")
    answers = base / "answers"
    answers.mkdir()
    (answers / "level_1_problem_1_sample_0_kernel.py").write_text("class ModelNew: pass  # <script>alert(1)</script>\n")
    own = write_run(base / "expert", "", [
        row("level1/1", "ok", "out/level1/1"), row("level1/2", "verdict", "out/level1/2"),
        row("level1/3", "needs_package", "out/level1/3")])  # fmt: skip
    page = own / "out" / "level1" / "1" / "report.html"
    page.parent.mkdir(parents=True)
    page.write_text("<!doctype html><title>Its own report</title>")
    theirs = write_run(base / "theirs", str(answers), [
        row("level1/1", "ok", str(answers / "level_1_problem_1_sample_0_kernel.py")),
        row("level1/2", "missing", ""), row("level1/3", "timed_out", "")])  # fmt: skip
    command = [build / "stitchcuda", "leaderboard", own, theirs, "--out", base / "pages"]
    environment = {**os.environ, "STITCHCUDA_STATE": str(base / "state")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return base / "pages"


class Links(html.parser.HTMLParser):
    """What a page names elsewhere, its identifiers, and its data."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links, self.loads, self.names, self.data = [], [], set(), ""
        self._is_data = False
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.names.add(given.get("id"))
        self.loads += [given[key] for key in ("src", "srcset", "action", "data") if given.get(key)]
        if given.get("href"):
            (self.links if tag == "a" else self.loads).append(given["href"])
        self._is_data = tag == "script" and given.get("id") == "data"

    def handle_data(self, text: str) -> None:
        self.data += text if self._is_data else ""


def pages_of(board: pathlib.Path) -> list[pathlib.Path]:
    return [board / "index.html", board / "runs" / "expert" / "index.html", board / "runs" / "theirs" / "index.html"]


def test_pages_load_nothing_and_every_link_has_its_target(board: pathlib.Path) -> None:
    opened = []
    for page in pages_of(board):
        text = page.read_text()
        found = Links(text)
        assert found.loads == ["data:,"], "an empty icon, so that no browser asks for one"
        assert "default-src 'none'" in text and not re.search(r"@import|url\((?!data:)|\bfetch\(|XMLHttpRequest", text)
        assert all(link.startswith("#") and link[1:] in found.names for link in found.links)
        for run in json.loads(found.data)["runs"]:
            parts = [run["page"], *(task[key] for task in run["tasks"] for key in ("page", "code"))]
            opened += [page.parent / part for part in parts if part]
    assert all(path.is_file() for path in opened)
    assert {path.name for path in opened} == {"index.html", "report.html", "level_1_problem_1_sample_0_kernel.py.txt"}


def test_what_was_written_by_others_is_no_markup(board: pathlib.Path) -> None:
    for page in pages_of(board):
        assert "<b>17</b>" not in page.read_text()
        assert "<script>alert" not in page.read_text()


def test_a_page_is_made_for_phones_and_the_dark(board: pathlib.Path) -> None:
    text = (board / "index.html").read_text()
    assert 'content="width=device-width, initial-scale=1"' in text
    assert "@media (prefers-color-scheme: dark)" in text and "[data-theme='dark']" in text


@pytest.mark.long
@pytest.mark.parametrize("check", bench_checks.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("width", WIDTHS)
def test_leaderboard(width: str, check, browser, board: pathlib.Path) -> None:  # noqa: F811
    is_left = check is bench_checks.every_link_opens_a_page
    examine(browser, board / "index.html", width, check, is_left)

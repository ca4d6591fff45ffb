# SPDX-License-Identifier: Apache-2.0
"""`stitchcuda train report` of records that are written here: what can be seen of the file in short, and in headless
Chromium (long, and only where one is) every plot drawn, a phone's width, dark, and that nothing is asked of a network.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
from collections.abc import Callable

import pytest
from browser_checks import colours_change
from test_browser import WIDTHS, browser, chromium, examine  # noqa: F401


def step(number: int) -> dict:
    return {"step": number, "reward": number / 50, "pass": number / 40, "hack": 0.1, "unjudged": 0.0,
            "length": 90 - number, "length_p95": 120, "turns": 1.0, "entropy": 2 / number, "kl": 0.001 * number,
            "largest_ratio": 10.0 ** (number % 4),
            "clipped_low": 0.01, "clipped_high": 0.02, "outcomes": {"ok": number, "</script><b>wrong</b>": 40 - number},
            "critic": {"explained_variance": number / 40, "bias": 0.1, "mean_return": 0.5, "loss": 0.1},
            "advantage": {"mean": 0.0, "std": 1.0, "lowest": -2.0, "highest": 2.0}, "loss": 0.1, "gradient_norm": 1.0}


@pytest.fixture(scope="module")
def training_page(build: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    base = tmp_path_factory.mktemp("training")
    for name, steps in (("sft", 8), ("ppo", 32)):
        (base / name).mkdir()
        (base / name / "config.json").write_text(json.dumps({"steps": steps, **({"ppo": {}} if name == "ppo" else {})}))
        numbers = range(1, steps + 1)
        lines = [step(number) if name == "ppo" else {"step": number, "loss": 3 / number} for number in numbers]
        (base / name / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (base / "ppo" / "chain.json").write_text(json.dumps({"name": "ppo", "before": [{"name": "sft", "run": "../sft"}]}))
    command = [build / "stitchcuda", "train", "report", base / "ppo", "--out", base / "page.html"]
    environment = {**os.environ, "STITCHCUDA_STATE": str(base / "state")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert str(base / "page.html") in done.stdout
    return base / "page.html"


def test_the_page_loads_nothing_and_holds_both_stages(training_page: pathlib.Path) -> None:
    text = training_page.read_text()
    assert "default-src 'none'" in text and not re.search(r"@import|url\((?!data:)|\bfetch\(|XMLHttpRequest", text)
    assert "<b>wrong" not in text
    data = json.loads(text.split('id="data">', 1)[1].split("</script>", 1)[0])
    assert [stage["name"] for stage in data["stages"]] == ["sft", "ppo"]
    assert not (training_page.parent / "ppo" / "report.html").exists()


def every_plot_is_drawn(page) -> None:
    plots = page.evaluate("page.data.plots.length")
    drawn = page.evaluate("[...document.querySelectorAll('canvas')].filter((each) => Chart.getChart(each)).length")
    assert plots == drawn > 10
    assert page.locator("text=could not be drawn").count() == 0
    assert page.locator(".curve table tbody tr").count() >= plots


@pytest.mark.long
@pytest.mark.parametrize("check", [every_plot_is_drawn, colours_change], ids=lambda check: check.__name__)
@pytest.mark.parametrize("width", WIDTHS)
def test_in_a_browser(width: str, check: Callable, browser, training_page: pathlib.Path) -> None:  # noqa: F811
    examine(browser, training_page, width, check)

# SPDX-License-Identifier: Apache-2.0
"""The report of three programs in headless Chromium, at a desk's width and a phone's, by mouse and by keyboard, and as
it is made where Debian's libraries are missing. About five minutes on two cores. Needs Chromium, which CHROMIUM names,
else the one on PATH; Playwright comes from PyPI into build/. The pictures of docs/report.md:

    .venv/bin/python -m pytest tests/report -k picture --update
"""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator

import browser_agents
import browser_checks
import browser_keyboard
import browser_pictures
import pytest
from named_seed import with_seed

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
PROGRAMS = ("mlp_residual", "llama_block", "unet_transposed")
WIDTHS = {"desk": (1280, 900), "phone": (390, 844)}
# On a machine that does other work too, STITCH_TEST_PATIENCE says how many times as long all of it may take.
PATIENCE_MS = 30_000 * float(os.environ.get("STITCH_TEST_PATIENCE", "1"))
LIBRARY = re.compile(r"<script>\n(?:var hljs=|/\*!\n \* Chart\.js).*?</script>", re.S)
pytestmark = pytest.mark.long


def install_playwright(packages: pathlib.Path) -> None:
    if not packages.is_dir():
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--target", str(packages)]
        subprocess.run([*pip, "playwright>=1.40"], check=True)


@pytest.fixture(scope="session")
def chromium() -> str:
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    return found or pytest.skip("no Chromium is here: apt-get install chromium, or name one in CHROMIUM")


@pytest.fixture(scope="session")
def browser(chromium: str, shared_folder) -> Iterator:
    if importlib.util.find_spec("playwright") is None:
        packages = ROOT / "build" / "browser-packages"
        shared_folder("playwright", lambda folder: install_playwright(packages))
        sys.path.append(str(packages))
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def report(build: pathlib.Path, shared_folder) -> Callable[[str], pathlib.Path]:
    """report(name): of that program of problems/."""

    def made(name: str) -> pathlib.Path:
        def optimize(folder: pathlib.Path) -> None:
            command = [build / "stitchcuda", *with_seed("optimize", f"problems/{name}.py", "--out", folder / name),
                       "--device", "emulated", "--quiet"]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]

        return shared_folder(f"report-{name}", optimize) / name / "report.html"

    return made


def without_libraries(report: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """The page as it is made where Debian's packages are missing."""
    text, taken = LIBRARY.subn("", report.read_text())
    assert taken == 2, f"{taken} libraries in {report}"
    bare = folder / "bare.html"
    bare.write_text(text)
    return bare


def examine(browser, report: pathlib.Path, width: str, check: Callable, is_left: bool = False) -> None:
    """Opens the page, and watches what it says and asks for meanwhile; `is_left`: other files are opened."""
    columns, rows = WIDTHS[width]
    context = browser.new_context(viewport={"width": columns, "height": rows}, color_scheme="light")
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("request", lambda request: asked.append(request.url))
    try:
        page.goto(report.as_uri())
        page.wait_for_timeout(400)
        check(page)
        assert not said, f"the console: {said[:3]}"
        elsewhere = [url for url in asked if url != report.as_uri() and not (is_left and url.startswith("file:"))]
        assert not elsewhere and (is_left or len(asked) == 1), f"requests: {asked[:3]}"
        browser_checks.no_sideways_scroll(page)
    finally:
        context.close()


def name_of(value) -> str:
    return getattr(value, "__name__", value)


@pytest.mark.parametrize("check", browser_checks.CHECKS + browser_keyboard.CHECKS, ids=name_of)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_report(program: str, width: str, check: Callable, browser, report) -> None:
    examine(browser, report(program), width, check)


@pytest.mark.parametrize("check", browser_checks.BARE_CHECKS, ids=name_of)
@pytest.mark.parametrize("program", PROGRAMS)
def test_without_libraries(program: str, check: Callable, browser, report, tmp_path: pathlib.Path) -> None:
    examine(browser, without_libraries(report(program), tmp_path), "desk", check)


@pytest.fixture(scope="session")
def agents_report(build: pathlib.Path, shared_folder) -> pathlib.Path:
    """Of a run of agents, with attacks in all that models wrote."""

    def optimize(folder: pathlib.Path) -> None:
        command = [build / "stitchcuda", *with_seed("optimize", "problems/mlp_residual.py", "--out", folder / "out"),
                   "--device", "emulated", "--skip-nvcc", "--model", "expert:faults=0.3", "--max-rounds", "3",
                   "--quiet"]
        for words in (command, [build / "stitchcuda", "report", folder / "out"]):
            done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
            assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
            browser_agents.attack(folder / "out")

    return shared_folder("report-agents", optimize) / "out" / "report.html"


@pytest.mark.parametrize("check", browser_agents.CHECKS, ids=name_of)
@pytest.mark.parametrize("width", WIDTHS)
def test_agents(width: str, check: Callable, browser, agents_report: pathlib.Path) -> None:
    examine(browser, agents_report, width, check)


@pytest.mark.parametrize("name", browser_pictures.PICTURES)
def test_picture(name: str, browser, report, update: bool, tmp_path: pathlib.Path) -> None:
    picture = browser_pictures.PICTURES[name]
    path = (IMAGES if update else tmp_path) / f"{name}.png"
    browser_pictures.take(browser, report(picture.program), picture, path)
    assert path.stat().st_size < browser_pictures.MAX_BYTES

# SPDX-License-Identifier: Apache-2.0
"""Opens each report at each width and runs every check on it; the last line is `N passed, N failed`."""

import argparse
import pathlib
import re
import sys

from playwright.sync_api import sync_playwright

import browser_checks
import browser_keyboard
import browser_pictures

WIDTHS = {"desk": (1280, 900), "phone": (390, 844)}
LIBRARY = re.compile(r"<script>\n(?:var hljs=|/\*!\n \* Chart\.js).*?</script>", re.S)


class Watch:
    """What a page says and asks for while it is looked at."""

    def __init__(self, page):
        self.said, self.asked = [], []
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("request", lambda request: self.asked.append(request.url))


def without_libraries(report: pathlib.Path, work: pathlib.Path) -> pathlib.Path:
    """The page as it is made where Debian's packages are missing."""
    text, taken = LIBRARY.subn("", report.read_text())
    assert taken == 2, f"{taken} libraries in {report}"
    bare = work / f"{report.parent.name}-bare.html"
    bare.write_text(text)
    return bare


def opened(browser, report: pathlib.Path, size):
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme="light")
    page = context.new_page()
    watch = Watch(page)
    page.goto(report.as_uri())
    page.wait_for_timeout(400)
    return context, page, watch


def run_checks(browser, report: pathlib.Path, label: str, size, checks) -> tuple[int, int]:
    passed = failed = 0
    for check in checks:
        context, page, watch = opened(browser, report, size)
        try:
            check(page)
            assert not watch.said, f"the console: {watch.said[:3]}"
            assert watch.asked == [report.as_uri()], f"requests: {watch.asked[:3]}"
            browser_checks.no_sideways_scroll(page)
            passed += 1
        except Exception as problem:  # a check that cannot be done is a failure like any other
            failed += 1
            print(f"FAILED  {label}: {check.__name__}: {(str(problem) or type(problem).__name__).splitlines()[0]}")
        context.close()
    print(f"{label}: {passed} passed, {failed} failed so far" if failed else f"{label}: all {passed} passed")
    return passed, failed


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("chromium")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path)
    arguments = parser.parse_args()
    reports = sorted(arguments.work.glob("*/report.html"))
    totals = [(0, 0)]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.chromium, args=["--no-sandbox"])
        for report in reports:
            for name, size in WIDTHS.items():
                label = f"{report.parent.name}, {name}"
                checks = browser_checks.CHECKS + browser_keyboard.CHECKS
                totals.append(run_checks(browser, report, label, size, checks))
            label = f"{report.parent.name}, without libraries"
            bare = without_libraries(report, arguments.work)
            totals.append(run_checks(browser, bare, label, WIDTHS["desk"], browser_checks.BARE_CHECKS))
        if arguments.pictures:
            browser_pictures.take(browser, arguments.work, arguments.pictures)
        browser.close()
    passed, failed = (sum(column) for column in zip(*totals))
    print(f"{passed} passed, {failed + (not reports)} failed")
    return 1 if failed or not reports else 0


if __name__ == "__main__":
    sys.exit(main())

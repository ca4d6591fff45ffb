# SPDX-License-Identifier: Apache-2.0
"""The same without a mouse."""

from browser_checks import data_of


def the_first_stop_skips_to_the_report(page) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def tab_goes_through_everything_in_order(page) -> None:
    """Every stop shows where it is, and they come in the order of the page."""
    stops = page.evaluate("""[...document.querySelectorAll('a, button, input, summary, [tabindex="0"]')]
           .filter((element) => element.tabIndex === 0 && element.checkVisibility()).length""")
    seen = 0
    for _ in range(stops):
        page.keyboard.press("Tab")
        state = page.evaluate("""(() => {
                 const now = document.activeElement, before = window.lastStop;
                 window.lastStop = now;
                 const style = getComputedStyle(now), inner = now.querySelector('.back');
                 const ring = style.outlineStyle !== 'none' ||
                   (inner && getComputedStyle(inner).strokeWidth === '2.5px');
                 return {body: now === document.body, ring, what: now.outerHTML.slice(0, 80),
                         order: !before || !!(before.compareDocumentPosition(now) & Node.DOCUMENT_POSITION_FOLLOWING)};
               })()""")
        if state["body"]:
            break
        seen += 1
        assert state["ring"], f"no ring around {state['what']}"
        assert state["order"], f"out of order: {state['what']}"
    assert seen >= stops - 1, (seen, stops)


def colours_change_by_key(page) -> None:
    page.focus("#theme")
    for key, wanted in (("Enter", "light"), ("Space", "dark")):
        page.keyboard.press(key)
        assert page.evaluate("document.documentElement.dataset.theme") == wanted
    assert "dark" in page.locator("#theme").get_attribute("aria-label")


def arrows_change_tabs(page) -> None:
    page.focus("#before-tab")
    for key, wanted in (("ArrowRight", "after"), ("ArrowRight", "before"), ("End", "after"), ("Home", "before")):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.id") == f"{wanted}-tab"
        assert page.locator(f"#{wanted}-panel").is_visible()


def arrows_walk_the_graph(page) -> None:
    page.click("#after-tab")
    page.locator("#after-panel .box").first.focus()
    seen = set()
    for _ in range(len(data_of(page)["steps"])):
        page.keyboard.press("ArrowDown")
        seen.add(page.locator("#after-panel .box.selected").get_attribute("aria-label"))
    assert len(seen) >= 2, seen
    assert page.locator("#after-panel .inspector h3").count() == 1
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.classList.contains('selected')")


def enter_goes_through_what_was_found(page) -> None:
    page.focus("#before-search")
    page.keyboard.type(data_of(page)["before"]["nodes"][0]["op"])
    page.keyboard.press("Enter")
    assert page.locator("#before-panel .hits").inner_text().startswith("1 of ")
    assert page.locator("#before-panel .box.selected").count() == 1
    assert page.evaluate("document.activeElement.id") == "before-search"


def columns_sort_by_key(page) -> None:
    head = page.locator("#steps thead th").nth(1)
    head.locator("button").focus()
    for key, wanted in (("Enter", "ascending"), ("Space", "descending")):
        page.keyboard.press(key)
        assert head.get_attribute("aria-sort") == wanted
    names = page.locator("#steps tbody th").all_inner_texts()
    assert names == sorted(names, key=str.lower, reverse=True), names


def folds_open_by_key(page) -> None:
    summary = page.locator("details.step > summary").first
    summary.focus()
    for key, wanted in (("Enter", True), ("Space", False)):
        page.keyboard.press(key)
        assert summary.locator("xpath=..").evaluate("(details) => details.open") == wanted


CHECKS = [
    the_first_stop_skips_to_the_report, tab_goes_through_everything_in_order, colours_change_by_key, arrows_change_tabs,
    arrows_walk_the_graph, enter_goes_through_what_was_found, columns_sort_by_key, folds_open_by_key,
]  # fmt: skip

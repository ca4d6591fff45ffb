# SPDX-License-Identifier: Apache-2.0
"""What must hold of a bench's pages in a browser: each check gets a freshly opened page."""

import pathlib
import urllib.parse

from browser_checks import colours_change

# Of a table: is a column in the order that its heading tells? What has no value stands below either way.
IN_ORDER = """(head) => {
  const units = {'\\u00b5s': 1, 'ms': 1e3, 's': 1e6};
  const at = [...head.parentElement.children].indexOf(head), isNumber = head.classList.contains('number');
  const texts = [...head.closest('table').querySelectorAll('tbody tr')].map((row) => row.children[at])
    .map((cell) => (cell.querySelector('summary') || cell).textContent);
  const hacks = (found) => found && 1e6 * Number(found[2]) + Number(found[1]);
  const number = (text) => hacks(text.match(/(\\d+) partial \\/ (\\d+) total/)) ??
    parseFloat(text) * (units[text.split('\\u202f')[1]] || 1);
  const values = texts.filter((text) => text !== '\\u2013').map((text) => (isNumber ? number(text) : text));
  const wanted = [...values].sort((a, b) => (isNumber ? a - b : a.localeCompare(b)));
  if (head.getAttribute('aria-sort') === 'descending') {
    wanted.reverse();
  }
  const below = texts.slice(values.length).every((text) => text === '\\u2013') || !isNumber;
  return JSON.stringify(values) === JSON.stringify(wanted) && below ? '' : JSON.stringify([texts, wanted]);
}"""


def every_column_sorts_both_ways(page) -> None:
    seen = 0
    for head in page.locator("thead th[aria-sort]").all():
        directions = set()
        for key in ("Enter", "Space"):
            head.locator("button").focus()
            page.keyboard.press(key)
            directions.add(head.get_attribute("aria-sort"))
            wrong = head.evaluate(IN_ORDER)
            assert not wrong, (head.inner_text(), wrong)
        assert directions == {"ascending", "descending"}, head.inner_text()
        seen += 1
    assert seen > 15


def every_fold_opens_by_key_and_stays_when_sorted(page) -> None:
    folds = page.locator("details")
    count = folds.count()
    assert count > 3
    for at in range(count):
        fold = folds.nth(at)
        assert not fold.evaluate("(element) => element.open")
        fold.locator("summary").focus()
        page.keyboard.press("Enter")
        assert fold.evaluate("(element) => element.open")
        assert fold.locator(":scope > *").nth(1).is_visible()
    page.locator("#tasks thead button").last.click()
    assert page.locator("#tasks details[open]").count() == page.locator("#tasks details").count()
    page.locator("#tasks details summary").first.focus()
    page.keyboard.press("Enter")
    assert not page.locator("#tasks details").first.evaluate("(element) => element.open")


def every_section_is_drawn(page) -> None:
    for section in page.locator("main > section").all():
        assert section.locator(".body > *").count() > 0, section.get_attribute("id")
    assert page.get_by_text("could not be drawn").count() == 0
    assert page.locator("#figures > div").count() > 0


def section_links_lead_there(page) -> None:
    for link in page.locator("nav.sections a").all():
        link.click()
        page.wait_for_timeout(700)  # it scrolls smoothly
        target = page.locator(link.get_attribute("href"))
        assert -40 < target.bounding_box()["y"] < page.viewport_size["height"], link.get_attribute("href")


def every_link_opens_a_page(page) -> None:
    """Each is followed, as a reader does, and so are those of the pages of single runs."""
    start, seen, left = page.url, set(), [page.url]
    while left:
        address = left.pop()
        seen.add(address)
        assert address.startswith("file:"), address
        assert pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(address).path)).is_file(), address
        page.goto(address)
        assert page.get_by_text("could not be drawn").count() == 0, address
        if page.locator("#board").count() > 0:
            links = page.evaluate("[...document.querySelectorAll('main a')].map((link) => link.href.split('#')[0])")
            left += [link for link in dict.fromkeys(links) if link not in seen and link not in left]
    kinds = {address.rpartition("/")[2] for address in seen}
    assert {"index.html", "report.html"} < kinds and any(name.endswith("_kernel.py.txt") for name in kinds), kinds
    assert sum(address.endswith("index.html") for address in seen) == 3, seen
    page.goto(start)


def speedups_stand_against_the_floor(page) -> None:
    """3 us of the baseline over a floor of 0.5 us: 6 times at most, of which 1.5 are reached."""
    cells = page.locator("#floor tbody tr").first.locator("td").all_inner_texts()
    assert [text for text in cells if text in ("25.0\u202f%", "1.50", "6.00")] == ["25.0\u202f%", "1.50", "6.00"], cells
    assert page.locator("#floor canvas").count() in (0, 1) and "#floor" in page.locator("nav.sections").inner_html()


def figures_stand_over_each_baseline(page) -> None:
    text = page.locator("#board").inner_text()
    assert "eager" in text and "graph" in text


def text_is_readable(page) -> None:
    """Ink on paper, in light and in dark: a contrast of 4.5, as WCAG 2.1 asks."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        weak = page.evaluate("""() => {
          const parts = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
          const light = (text) => parts(text).slice(0, 3).map((c) => c / 255)
            .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
            .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
          const paper = (element) => {
            const colour = getComputedStyle(element).backgroundColor;
            const alpha = parts(colour)[3];
            const isSolid = alpha === undefined || alpha === 1 || !element.parentElement;
            return isSolid ? colour : paper(element.parentElement);
          };
          const isSeen = (element) => element.checkVisibility() && element.className !== 'skip' &&
            [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
          return [...document.querySelectorAll('body *')].filter(isSeen).map((element) => {
            const [a, b] = [light(getComputedStyle(element).color), light(paper(element))];
            return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), element.textContent.trim().slice(0, 30)];
          }).filter(([contrast]) => contrast < 4.5);
        }""")
        assert not weak, (scheme, weak[:5])


CHECKS = (every_column_sorts_both_ways, every_fold_opens_by_key_and_stays_when_sorted, every_section_is_drawn,
          section_links_lead_there, every_link_opens_a_page, figures_stand_over_each_baseline,
          speedups_stand_against_the_floor, colours_change,
          text_is_readable)  # fmt: skip

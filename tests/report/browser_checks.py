# SPDX-License-Identifier: Apache-2.0
"""What must hold of a report, by mouse. Each check gets a freshly opened page."""

import os
import urllib.parse

MAX_BYTES = 2_000_000


def no_sideways_scroll(page) -> None:
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= page.viewport_size["width"], f"the page is {wide} wide"


def data_of(page) -> dict:
    return page.evaluate("JSON.parse(document.getElementById('data').textContent)")


def it_is_one_small_file(page) -> None:
    path = urllib.parse.unquote(urllib.parse.urlparse(page.url).path)
    assert os.path.getsize(path) <= MAX_BYTES


def every_section_is_drawn(page) -> None:
    for section in page.locator("main > section").all():
        assert section.locator(".body > *").count() > 0, section.get_attribute("id")
    assert page.get_by_text("could not be drawn").count() == 0
    assert page.locator("canvas").count() == 2
    headline = page.locator(".headline").inner_text()
    assert "modelled" in headline and "emulated" in headline, headline


def every_link_has_its_target(page) -> None:
    broken = page.evaluate("""[...document.querySelectorAll('a')].map((link) => link.getAttribute('href'))
           .filter((href) => !href.startsWith('#') || !document.getElementById(href.slice(1)))""")
    assert not broken, broken
    assert page.locator("a").count() > 10


def section_links_lead_there(page) -> None:
    for link in page.locator("nav.sections a").all():
        link.click()
        page.wait_for_timeout(700)  # it scrolls smoothly
        target = page.locator(link.get_attribute("href"))
        assert -40 < target.bounding_box()["y"] < page.viewport_size["height"], link.get_attribute("href")


def a_step_link_opens_its_code(page) -> None:
    link = page.locator("#steps tbody a").last
    link.click()
    page.wait_for_timeout(300)
    step = page.locator(link.get_attribute("href"))
    assert step.evaluate("(details) => details.open")
    assert step.locator(".listing tr").count() > 20
    assert step.locator(".listing .hljs-keyword").count() > 0, "no colours"
    assert step.locator(".listing .marked").count() > 0, "no line of the program is marked"


def colours_change(page) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    seen = []
    for wanted in ("light", "dark", "auto"):
        page.click("#theme")
        assert page.evaluate("document.documentElement.dataset.theme") == wanted
        seen.append(page.evaluate(colour))
    assert seen[0] != seen[1] and seen[2] == seen[0], seen
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(colour) == seen[1]


def tabs_change_the_graph(page) -> None:
    for shown, other in (("after", "before"), ("before", "after")):
        page.click(f"#{shown}-tab")
        assert page.locator(f"#{shown}-panel").is_visible() and not page.locator(f"#{other}-panel").is_visible()
        assert page.locator(f"#{shown}-tab").get_attribute("aria-selected") == "true"
        assert page.locator(f"#{other}-tab").get_attribute("aria-selected") == "false"


def graphs_have_a_box_for_everything(page) -> None:
    data = data_of(page)
    if len(data["before"]["nodes"]) > 40:
        page.click("#before-panel >> text=By source line")
    shown = [given for given in data["before"]["inputs"] if given["role"] in ("input", "state")]
    wanted = len(data["before"]["nodes"]) + len(shown) + len(data["before"]["outputs"])
    assert page.locator("#before-panel .box").count() == wanted
    page.click("#before-panel >> text=Weights")
    wanted += len(data["before"]["inputs"]) - len(shown)
    assert page.locator("#before-panel .box").count() == wanted


def boxes_never_overlap(page) -> None:
    boxes = page.evaluate("""[...document.querySelectorAll('#before-panel .box .back')].map((box) => {
             const at = box.getBoundingClientRect(); return [at.left, at.top, at.right, at.bottom]; })""")
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
            assert apart, (a, b)


def drawings_fill_their_width(page) -> None:
    for tab in ("after", "before"):
        page.click(f"#{tab}-tab")
        drawn, wide = page.evaluate(
            """(tab) => {
                 const svg = document.querySelector(`#${tab}-panel .graph-scroll svg`);
                 const box = svg.querySelector('g').getBBox();
                 return [box.x + box.width, svg.viewBox.baseVal.width];
               }""",
            tab,
        )
        assert wide - 60 < drawn + 32 < wide + 30, (tab, drawn, wide)


def a_box_tells_what_it_computes(page) -> None:
    page.click("#after-tab")
    page.locator("#after-panel .box").nth(1).click()
    said = page.locator("#after-panel .inspector").inner_text()
    assert "Skeleton" in said and "modelled" in said, said
    assert page.locator("#after-panel .box.selected").count() == 1


def search_finds_and_dims(page) -> None:
    word = data_of(page)["before"]["nodes"][0]["op"]
    page.fill("#before-search", word)
    assert "found" in page.locator("#before-panel .hits").inner_text()
    boxes, dim = page.locator("#before-panel .box").count(), page.locator("#before-panel .box.dim").count()
    assert 0 < dim < boxes, (dim, boxes)
    page.fill("#before-search", "no such operator")
    assert page.locator("#before-panel .hits").inner_text() == "nothing found"
    page.fill("#before-search", "")
    assert page.locator("#before-panel .box.dim").count() == 0


def zoom_changes_the_size(page) -> None:
    width = "document.querySelector('#before-panel .graph-scroll svg').getBoundingClientRect().width"
    page.click("#before-panel >> text=1:1")
    actual = page.evaluate(width)
    for label, larger in (("Larger", True), ("Smaller", False)):
        before = page.evaluate(width)
        page.click(f"#before-panel [aria-label={label}]")
        assert (page.evaluate(width) > before) == larger
    page.click("#before-panel >> text=Fit")
    assert page.evaluate(width) <= actual


def every_column_sorts(page) -> None:
    times = {step["name"]: step["measured_us"] or step["modelled_us"] for step in data_of(page)["steps"]}
    heads = page.locator("#steps thead th")
    for index in range(heads.count()):
        heads.nth(index).locator("button").click()
        first = heads.nth(index).get_attribute("aria-sort")
        heads.nth(index).locator("button").click()
        assert {first, heads.nth(index).get_attribute("aria-sort")} == {"ascending", "descending"}
    page.locator("#steps thead button", has_text="Time").click()
    shown = [times[name] for name in page.locator("#steps tbody th").all_inner_texts()]
    assert shown == sorted(shown, reverse=True) and len(shown) == len(times)


def every_fold_opens_and_shuts(page) -> None:
    for summary in page.locator("summary").all():
        if not summary.is_visible():
            continue
        details = summary.locator("xpath=..")
        was = details.evaluate("(element) => element.open")
        summary.click()
        assert details.evaluate("(element) => element.open") != was
        no_sideways_scroll(page)
        summary.click()
        assert details.evaluate("(element) => element.open") == was


def all_code_opens_at_once(page) -> None:
    steps = len(data_of(page)["steps"])
    page.click("text=Open all")
    assert page.locator("details.step[open]").count() == steps
    no_sideways_scroll(page)
    page.click("text=Close all")
    assert page.locator("details.step[open]").count() == 0


def it_prints(page) -> None:
    assert len(page.pdf(format="A4")) > 20_000


def tables_stand_in_for_plots(page) -> None:
    assert page.locator("canvas").count() == 0
    assert page.locator("#roofline table").count() == 2 and page.locator("#roofline table").first.is_visible()
    assert page.locator("#errors table").first.is_visible()
    page.click("text=Open all")
    page.locator(".listing tr").first.wait_for()  # a listing is filled when its fold has opened, a moment later
    assert page.locator(".listing tr").count() > 20, "no code"
    assert page.locator("[class^=hljs]").count() == 0, "colours from nowhere"


CHECKS = [
    it_is_one_small_file, every_section_is_drawn, every_link_has_its_target, section_links_lead_there,
    a_step_link_opens_its_code, colours_change, tabs_change_the_graph, graphs_have_a_box_for_everything,
    boxes_never_overlap,
    drawings_fill_their_width, a_box_tells_what_it_computes, search_finds_and_dims, zoom_changes_the_size,
    every_column_sorts, every_fold_opens_and_shuts, all_code_opens_at_once, it_prints,
]  # fmt: skip
BARE_CHECKS = [every_link_has_its_target, tables_stand_in_for_plots, every_column_sorts, every_fold_opens_and_shuts]

# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/report.md."""

import dataclasses
import pathlib

DESK, WIDE, PHONE = (1280, 1000), (1280, 720), (390, 844)
MAX_BYTES = 300_000


@dataclasses.dataclass(frozen=True)
class Picture:
    program: str
    size: tuple[int, int]
    colours: str
    place: str | None  # to scroll to
    press: str | None  # before


PICTURES = {
    "report-desk-light": Picture("llama_block", DESK, "light", None, "#before-panel .box >> nth=4"),
    "report-desk-dark": Picture("unet_transposed", DESK, "dark", "#plan", None),
    "report-roofline-light": Picture("llama_block", WIDE, "light", "#roofline", None),
    "report-errors-dark": Picture("mlp_residual", WIDE, "dark", "#errors", None),
    "report-code-light": Picture("llama_block", DESK, "light", "#step-7", "#step-7 > summary"),
    "report-phone-light": Picture("llama_block", PHONE, "light", None, None),
    "report-phone-dark": Picture("llama_block", PHONE, "dark", "#graph", "#after-tab"),
}


def take(browser, report: pathlib.Path, picture: Picture, path: pathlib.Path) -> None:
    width, height = picture.size
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=picture.colours, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(report.as_uri())
    page.wait_for_timeout(400)
    if picture.press:
        page.click(picture.press)
        page.wait_for_timeout(200)
    if picture.place:
        page.evaluate("(place) => document.querySelector(place).scrollIntoView()", picture.place)
    else:
        page.evaluate("scrollTo(0, 0)")
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)
    page.screenshot(path=str(path))
    context.close()

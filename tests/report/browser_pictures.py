# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/report.md, each under 300 kB."""

import pathlib

DESK, PHONE = (1280, 1000), (390, 844)
# name: (program, size, colours, place to scroll to, what to press first)
PICTURES = {
    "report-desk-light": ("llama_block", DESK, "light", None, "#before-panel .box >> nth=4"),
    "report-desk-dark": ("unet_transposed", DESK, "dark", "#plan", None),
    "report-roofline-light": ("llama_block", (1280, 720), "light", "#roofline", None),
    "report-errors-dark": ("mlp_residual", (1280, 720), "dark", "#errors", None),
    "report-code-light": ("llama_block", DESK, "light", "#step-7", "#step-7 > summary"),
    "report-phone-light": ("llama_block", PHONE, "light", None, None),
    "report-phone-dark": ("llama_block", PHONE, "dark", "#graph", "#after-tab"),
}
LARGEST_BYTES = 300_000


def take(browser, work: pathlib.Path, folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, (program, size, colours, place, press) in PICTURES.items():
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=colours, reduced_motion="reduce"
        )
        page = context.new_page()
        page.goto((work / program / "report.html").as_uri())
        page.wait_for_timeout(400)
        if press:
            page.click(press)
            page.wait_for_timeout(200)
        if place:
            page.evaluate("(place) => document.querySelector(place).scrollIntoView()", place)
        else:
            page.evaluate("scrollTo(0, 0)")
        page.mouse.move(0, 0)
        page.wait_for_timeout(500)
        path = folder / f"{name}.png"
        page.screenshot(path=str(path))
        assert path.stat().st_size < LARGEST_BYTES, f"{path} has {path.stat().st_size} bytes"
        context.close()

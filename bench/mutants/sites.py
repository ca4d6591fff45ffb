# SPDX-License-Identifier: Apache-2.0
"""Finds places in CUDA text where one small mistake can be made.

Works on lines with comments and strings blanked out, so that no site lies in prose. A site is a replacement of one
stretch of text, or of several in one file, where the same mistake is written twice: once for vectors, once for scalars.
"""
from __future__ import annotations

from dataclasses import replace

from memory_mistakes import MEMORY_MISTAKES
from mistakes import Site, blanked
from value_mistakes import VALUE_MISTAKES

FINDERS = {**MEMORY_MISTAKES, **VALUE_MISTAKES}
KINDS = tuple(FINDERS)


def find_sites(file: str, text: str) -> list[Site]:
    """All sites of a file, in its order."""
    code = blanked(text)
    sites = [site for finder in FINDERS.values() for site in finder(file, text, code)]
    sites.sort(key=lambda site: (site.edits[0].start, site.kind, site.after))
    seen: dict[tuple[str, str, str], int] = {}
    numbered = []
    for site in sites:
        key = (site.kind, site.before, site.after)
        numbered.append(replace(site, ordinal=seen.get(key, 0)))
        seen[key] = seen.get(key, 0) + 1
    return numbered

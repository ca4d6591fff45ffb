# SPDX-License-Identifier: Apache-2.0
"""Programs from outside and their verdicts: tests/rejects/ must be refused for the reason they state, tests/honest/
must pass. Each goes through the one door, `stitchcuda verify --candidate`; docs/formats.md describes the folders.

`pytest tests/candidates --long --junitxml FILE` judges all of them, and `tests/candidates/table.py FILE docs/trust.md`
writes what was seen into the table of that page.
"""
from __future__ import annotations

import pathlib
import re

import pytest
import properties
from folder import TESTS, Candidate, all_candidates, judge, looks_for_processes

PARTS = 5


def named_by_mistakes() -> set[str]:
    """Candidates that tests/mistakes/README.md gives as its evidence are part of every run."""
    text = (TESTS / "mistakes" / "README.md").read_text()
    return set(re.findall(r"`((?:honest|rejects)/\w+)`", text))


def cases() -> list:
    always = named_by_mistakes()
    found = []
    for candidate in all_candidates():
        marks = [pytest.mark.long] if candidate.is_long() else []
        marks += [pytest.mark.always] if candidate.name in always else []
        marks += [pytest.mark.gpu] if candidate.devices() == ["gpu"] else []
        found.append(pytest.param(candidate, id=candidate.path, marks=marks))
    return found


@pytest.mark.in_parts(PARTS)
@pytest.mark.parametrize("candidate", cases())
def test_verdict(candidate: Candidate, build: pathlib.Path, cache: pathlib.Path, device: str, tmp_path: pathlib.Path,
                 record_property, request: pytest.FixtureRequest) -> None:
    if device not in candidate.devices():
        pytest.skip(f"is for {', '.join(candidate.devices())}")
    if not looks_for_processes(candidate):
        request.getfixturevalue("preloads")
    seen = judge(candidate, build, tmp_path, cache, device)
    for name in ("kind", "reason", "hack_class"):
        record_property(name, getattr(seen, name))
    assert not seen.problem, seen.problem
    assert not seen.unread, seen.unread


@pytest.mark.parametrize("each", properties.PROPERTIES, ids=lambda each: each.asked[:40])
def test_property_is_tried_by_many(each: properties.Property) -> None:
    """Six candidates at least, three of them adaptive, and two honest twins."""
    candidates = all_candidates()
    adaptive, fixed, honest = (properties.members(words, each.of_tasks, candidates)
                               for words in (each.adaptive, each.fixed, each.honest))
    assert len(adaptive) >= 3 and len(adaptive) + len(fixed) >= 6 and len(honest) >= 2
    assert all(is_refused for _, is_refused in adaptive + fixed)
    assert not any(is_refused for _, is_refused in honest)

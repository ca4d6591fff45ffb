# SPDX-License-Identifier: Apache-2.0
"""Attacks and honest programs put together by chance (parts.py), a few in each run; `tests/adaptive/run` tries
thousands."""
from __future__ import annotations

import pathlib

import named_seed
import parts
import pytest
import trial

SEED = 1
ATTACKS, HONEST = 60, 20
PARTS = 20


@pytest.mark.in_parts(PARTS)
@pytest.mark.parametrize("number", range(ATTACKS))
def test_attack_is_refused(number: int, build: pathlib.Path, cache: pathlib.Path, tmp_path: pathlib.Path) -> None:
    result = trial.try_attack(number, SEED, build, tmp_path / "it", "emulated", named_seed.SEED)
    assert result["outcome"] in (trial.REFUSED, trial.NEVER_FIRED), result


@pytest.mark.in_parts(PARTS)
@pytest.mark.parametrize("number", range(HONEST))
def test_honest_is_accepted(number: int, build: pathlib.Path, cache: pathlib.Path, tmp_path: pathlib.Path) -> None:
    result = trial.try_honest(number, SEED, build, tmp_path / "it", "emulated", named_seed.SEED)
    assert result["outcome"] == trial.ACCEPTED, result


def test_parts_are_drawn_alike_from_a_seed() -> None:
    drawn = [parts.attack(number, SEED) for number in range(200)]
    assert drawn == [parts.attack(number, SEED) for number in range(200)]
    assert drawn != [parts.attack(number, SEED + 1) for number in range(200)]


def test_every_part_is_drawn() -> None:
    drawn = [parts.attack(number, SEED) for number in range(400)]
    assert {each.task for each in drawn} == set(parts.TASKS)
    assert {each.parts.split(" by ")[0] for each in drawn} == set(parts.ACTIONS)
    seen = " ".join(each.parts.split(":")[0] for each in drawn)
    assert all(name in seen for name in parts.TRIGGERS)


def test_a_spoilt_attack_differs_in_its_deed_alone() -> None:
    plain, spoilt = parts.attack(3, SEED), parts.attack(3, SEED, spoils=True)
    changed = [(a, b) for a, b in zip(plain.text.splitlines(), spoilt.text.splitlines()) if a != b]
    assert len(changed) == 1 and parts.SPOIL in changed[0][1]

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
    assert result["outcome"] in (trial.REFUSED, trial.NEVER_FIRED, trial.BY_CHANCE), result


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


def test_a_watched_attack_has_the_same_moments_but_for_what_the_cage_changes() -> None:
    plain, seen = parts.attack(3, SEED), parts.attack(3, SEED, parts.Witness("/tmp/deeds", {}))
    assert [line for line in plain.text.splitlines() if "fires =" in line or "keep" in line] == \
        [line for line in seen.text.splitlines() if "fires =" in line or "keep" in line]
    assert "tell(" in seen.text and "tell(" not in plain.text
    number = next(n for n in range(200) if parts.attack(n, SEED).asks)
    asked = parts.attack(number, SEED).asks[0]
    assert asked not in parts.attack(number, SEED, parts.Witness("", {asked: True})).text.split("fires =")[1]


OK, WRONG = {"kind": "ok"}, {"kind": "wrong"}


@pytest.mark.parametrize("rounds, outcome", [
    ([(OK, "ssw")], trial.ACCEPTED),
    ([(OK, "h")], trial.ACCEPTED),
    ([(OK, ""), (OK, "sw")], trial.ACCEPTED),
    ([(OK, ""), (OK, "s"), (OK, "w")], trial.NEVER_FIRED),
    ([(WRONG, "w"), (OK, ""), (OK, ""), (OK, "s")], trial.BY_CHANCE),
    ([(WRONG, "w"), (OK, ""), (WRONG, "w"), (OK, "w")], trial.ACCEPTED),
])
def test_an_attack_is_accepted_where_an_accepted_verdict_was_given_a_wrong_answer(rounds: list, outcome: str) -> None:
    assert trial.outcome_of_accepted(iter(rounds))[0] == outcome

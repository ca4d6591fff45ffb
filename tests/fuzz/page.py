# SPDX-License-Identifier: Apache-2.0
"""The page of a fuzzing.json."""

from __future__ import annotations


def page(facts: dict) -> str:
    rows = [
        f"| {each['target']} | {each['seconds']:.0f} | {each['executions']:,} "
        f"| {each['executions'] / max(each['seconds'], 0.1):,.0f} | {each['edges_at_first']:,} | {each['edges']:,} "
        f"| {each['units']:,} | {each['peak_mb']:,} | {len(each['problems'])} |"
        for each in facts["targets"]
    ]
    problems = [f"- {problem}" for each in facts["targets"] for problem in each["problems"]]
    return (
        f"# Fuzzing\n\nMade on {facts['day']} by `tests/fuzz/run`: libFuzzer with AddressSanitizer and "
        f"UndefinedBehaviorSanitizer, {facts['at_a_time']} targets at a time, {facts['machine']}, seed "
        f"{facts['seed']}. The search begins with what `tests/fuzz/corpus` keeps; what was found before is there as "
        "inputs named `found_*`.\n\n| target | seconds | executions | a second | edges at first | edges reached "
        "| new inputs | peak MB | findings |\n|---|---|---|---|---|---|---|---|---|\n"
        + "\n".join(rows)
        + "\n"
        + ("\n" + "\n".join(problems) + "\n" if problems else "")
    )

# SPDX-License-Identifier: Apache-2.0
"""Results as Markdown, by level and class. What has no time is counted and named, never left out in silence."""

from __future__ import annotations

import collections
import statistics

SLOWER = (1.0, 0.97)
WORST = 5
COLUMNS = ("eager", "eager, graph", "compile")


def geomean(values: list[float]) -> str:
    return f"{statistics.geometric_mean(values):.2f}" if values else "-"


def ratios(records: list[dict], over: str) -> list[float]:
    found = [(record.get("ratio") or {}).get(over) for record in records]
    return [ratio for ratio in found if ratio]


def row(name: str, records: list[dict], planned: int) -> str:
    best = ratios(records, "best")
    below = [sum(ratio < limit for ratio in best) for limit in SLOWER]
    well = sum(record["status"] == "ok" for record in records)
    cells = [name, planned, well, len(best), geomean(ratios(records, "eager")), geomean(ratios(records, "compile")),
             geomean(best), f"{min(best):.2f}" if best else "-", *below]
    return f"| {' | '.join(map(str, cells))} |"


HEADER = [
    "| | tasks | ok | timed | eager / ours | compile / ours | best / ours | least | under 1.0 | under 0.97 |",
    "|---" * 10 + "|",
]


def grouped(things, key) -> dict:
    groups = collections.defaultdict(list)
    for thing in things:
        groups[key(thing)].append(thing)
    return dict(sorted(groups.items()))


def by(key, records: list[dict], planned: list[dict]) -> list[str]:
    groups = grouped(records, key)
    return [row(name, groups.get(name, []), len(tasks)) for name, tasks in grouped(planned, key).items()]


def cell(record: dict, name: str) -> str:
    found = (record.get("us") or {}).get(name)
    return f"{found['median']:.1f} [{found['quartiles'][0]:.1f}..{found['quartiles'][1]:.1f}]" if found else "-"


def dearest(record: dict) -> str:
    """The steps that took longest, as measured or else as estimated."""
    steps = sorted(record.get("steps") or [], key=lambda step: -(step["measured_us"] or step["estimated_us"] or 0))
    return "; ".join(
        f"{step['name']} by {step['variant']} {step['measured_us'] or step['estimated_us'] or 0:.0f} us"
        + ("" if step["measured_us"] else " estimated")
        for step in steps[:2]
    )


def worst(records: list[dict]) -> list[str]:
    timed = [record for record in records if ratios([record], "best")]
    slowest = sorted(timed, key=lambda record: record["ratio"]["best"])[:WORST]
    return [
        f"- {record['task']} ({record['class']}): {record['ratio']['best']:.2f} of {record['best_baseline']}, "
        f"{record['ours_us']:.1f} us; {dearest(record)}"
        for record in slowest
    ]


def every_time(records: list[dict]) -> list[str]:
    names = ("ours", "ours, graph", *COLUMNS)
    lines = [f"| task | {' | '.join(f'{name}, us' for name in names)} | best / ours |"]
    lines += ["|---" * (len(names) + 2) + "|"]
    for record in sorted(records, key=lambda record: (record["level"], record["number"])):
        if record.get("us"):
            cells = [cell(record, name) for name in names]
            best = ratios([record], "best")
            lines.append(f"| {record['task']} | {' | '.join(cells)} | {f'{best[0]:.2f}' if best else '-'} |")
    return lines


def without_time(records: list[dict], planned: list[dict]) -> list[str]:
    seen = {record["task"] for record in records}
    lines = [
        f"- {record['task']}: {record['status']}: {record['sentence']}"
        for record in records
        if not ratios([record], "best")
    ]
    return lines + [f"- {task['task']}: not reached" for task in planned if task["task"] not in seen]


def remarks(records: list[dict]) -> list[str]:
    lines = []
    for record in records:
        rule = record.get("kernelbench_rule") or []
        if any(not draw["passes"] for draw in rule):
            share, most = max(draw["share"] for draw in rule), max(draw["most"] for draw in rule)
            own = record.get("eager_without_tf32")
            alone = f"; eager itself without TF32: {own['share']:.2%}, by {own['most']:.1f}" if own else ""
            lines.append(f"- {record['task']}: not within KernelBench's tolerance of eager: {share:.2%} of elements "
                         f"beyond it, by {most:.1f} times at most{alone}")
        if record.get("is_constant"):
            lines.append(f"- {record['task']}: the program in PyTorch returned the same for two draws")
        notes = {**(record.get("baseline_notes") or {}), **(record.get("notes") or {})}
        lines += [f"- {record['task']}, {name}: {note}" for name, note in notes.items() if isinstance(note, str)]
    return lines


def places(records: list[dict]) -> list[str]:
    """Where and how: a line for each kind of place that the records name."""
    kinds = collections.Counter(
        f"{record['device']}, driver {record['driver']}, torch {record['torch']}, CUDA {record['cuda']}, cuDNN "
        f"{record['cudnn']}, math {record['math']} ({record['flags']}), {record['tuning']} s of tuning a task, "
        f"{'verified' if record['is_verified'] else 'compared with eager, not verified'}, baselines "
        f"{'; '.join(f'{name}: {source}' for name, source in record['baselines_of'].items())}"
        for record in records
        if record.get("us")
    )
    return [f"{text}: {count} tasks" for text, count in kinds.items()]


def markdown(records: list[dict], runs: list[dict]) -> str:
    planned = {task["task"]: task for run in runs for task in run["tasks"]} or {r["task"]: r for r in records}
    tasks = sorted(planned.values(), key=lambda task: (task["level"], task["number"]))
    records = sorted((r for r in records if r["task"] in planned), key=lambda r: (r["level"], r["number"]))
    draws = [f"{run['draw']['count']} tasks drawn by seed {run['draw']['seed']}" for run in runs if run.get("draw")]
    lines = ["# KernelBench", "", *places(records), *dict.fromkeys(draws), "", *HEADER]
    lines += [row("all", records, len(tasks))]
    lines += by(lambda task: f"level {task['level']}", records, tasks)
    for level, of_level in grouped(tasks, lambda task: task["level"]).items():
        here = [record for record in records if record["level"] == level]
        lines += ["", f"## Level {level}", "", *HEADER, *by(lambda task: task["class"], here, of_level)]
    sections = {
        "Slowest beside the best baseline": worst(records),
        "Without a ratio": without_time(records, tasks),
        "Remarks": remarks(records),
        "Every time": every_time(records),
    }
    for title, text in sections.items():
        lines += ["", f"## {title}", "", *(text or ["none"])]
    return "\n".join(lines) + "\n"

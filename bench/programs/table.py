# SPDX-License-Identifier: Apache-2.0
"""Results as Markdown: times, verdicts, and what is slower than the best baseline."""

from __future__ import annotations

COLUMNS = ["ours", "ours, graph", "eager", "eager, graph", "compile", "max-autotune"]


def cell(times: dict, name: str) -> str:
    found = times.get("us", {}).get(name)
    return f"{found['median']:.1f} [{found['low']:.1f}..{found['high']:.1f}]" if found else "-"


def ratio(times: dict) -> float | None:
    """The best baseline's median over the better of ours."""
    medians = {name: value["median"] for name, value in times.get("us", {}).items()}
    ours = [medians[name] for name in ("ours", "ours, graph") if name in medians]
    theirs = [medians[name] for name in COLUMNS[2:] if name in medians]
    return min(theirs) / min(ours) if ours and theirs else None


def best_baseline(times: dict) -> str:
    found = [(times["us"][name]["median"], name) for name in COLUMNS[2:] if name in times.get("us", {})]
    return min(found)[1] if found else "-"


def ratio_text(times: dict) -> str:
    found = ratio(times)
    return "-" if found is None else f"{found:.2f}"


def summary(times: dict) -> str:
    if "error" in times:
        return times["error"]
    return f"{cell(times, 'ours')} us, graph {cell(times, 'ours, graph')}; best baseline / ours {ratio_text(times)}"


def dearest_steps(result: dict) -> str:
    steps = []
    for step in result.get("tune", {}).get("steps", []):
        for setting in step["settings"]:
            if setting["chosen"]:
                time_us = setting["measured_us"] or setting["estimated_us"]
                how = "" if setting["measured_us"] else ", estimated"
                steps.append((time_us, f"{step['name']} by {setting['variant']} {time_us:.0f} us{how}"))
    return "; ".join(text for _, text in sorted(steps, reverse=True)[:2])


def verdict_line(result: dict) -> str:
    answer = result.get("optimize", {})
    verdict = answer.get("verdict", {}).get("kind") or answer.get("error", {}).get("sentence", "not reached")
    tune = result.get("tune", {})
    libraries = [
        step["name"]
        for step in tune.get("steps", [])
        if any(s["chosen"] and s["variant"].startswith(("cublaslt", "cudnn")) for s in step["settings"])
    ]
    error_ratio = f"{answer['error_ratio']:.2f}" if answer.get("error_ratio") is not None else "-"
    return (
        f"| {result['program']} | {verdict} | {error_ratio} | {answer.get('steps', '-')} | "
        f"{', '.join(libraries) or '-'} |"
    )


def markdown(math: str, results) -> str:
    results = sorted(results, key=lambda result: result["program"])
    timed = [result for result in results if "us" in result.get("times", {})]
    lines = [f"## {math}", ""]
    if timed:
        first = timed[0]["times"]
        lines += [f"{first['device']}, torch {first['torch']}, math {math}, {first['flags']}", ""]
    lines += [
        "| program | " + " | ".join(f"{name} (us)" for name in COLUMNS) + " | prepare (us) | best baseline | "
        "best / ours |",
        "|---|" + "---|" * (len(COLUMNS) + 3),
    ]
    for result in timed:
        times = result["times"]
        lines.append(
            f"| {result['program']} | "
            + " | ".join(cell(times, name) for name in COLUMNS)
            + f" | {times['prepare_us']:.1f} | {best_baseline(times)} | {ratio_text(times)} |"
        )
    lines += [
        "",
        "| program | verdict | error ratio (4 accepted) | steps | steps by a library |",
        "|---|---|---|---|---|",
    ]
    lines += [verdict_line(result) for result in results]
    slower = [result for result in timed if (ratio(result["times"]) or 1) < 1]
    lines += [
        "",
        (
            "Slower than the best baseline, with our dearest steps:"
            if slower
            else "Nothing timed is slower than the best baseline."
        ),
        "",
    ]
    lines += [
        f"- {result['program']} ({ratio(result['times']):.2f} of {best_baseline(result['times'])}): "
        f"{dearest_steps(result)}"
        for result in slower
    ]
    missing = [result for result in results if result not in timed]
    lines += [
        f"- {result['program']}: not timed: {result.get('times', {}).get('error', 'see its verdict')}"
        for result in missing
    ]
    for result in timed:
        for name, note in result.get("baselines", {}).items():
            if isinstance(note, str):
                lines.append(f"- {result['program']}, {name}: {note}")
    return "\n".join(lines) + "\n"

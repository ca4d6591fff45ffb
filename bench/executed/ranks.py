# SPDX-License-Identifier: Apache-2.0
"""Spearman's rank correlation of executed and measured times, by family and over all."""
from __future__ import annotations


def ranks(values: list[float]) -> list[float]:
    """From 1 on; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for place in range(first, last + 1):
            result[order[place]] = (first + last) / 2 + 1
        first = last + 1
    return result


def spearman(left: list[float], right: list[float]) -> float:
    """Not a number where one of them does not vary."""
    a, b = ranks(left), ranks(right)
    mean = (len(a) + 1) / 2
    product = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    norm = (sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)) ** 0.5
    return product / norm if norm > 0 else float("nan")


def table(times: list[dict]) -> str:
    lines = ["| program | variant | executed us | bound | modelled us | measured us |", "|---|---|---|---|---|---|"]
    for row in sorted(times, key=lambda row: (row["family"], row["program"], row["measured_us"])):
        lines.append(f"| {row['program']} | {row['name']} | {row['executed']['executed_us']:.2f} | "
                     f"{row['executed']['bound']} | {row['modelled_us']:.2f} | {row['measured_us']:.2f} |")
    lines += ["", "| family | variants | Spearman |", "|---|---|---|"]

    def line(name: str, rows: list[dict]) -> str:
        rank = spearman([row["executed"]["executed_us"] for row in rows], [row["measured_us"] for row in rows])
        return f"| {name} | {len(rows)} | {rank:.3f} |"

    for family in sorted({row["family"] for row in times}):
        lines.append(line(family, [row for row in times if row["family"] == family]))
    return "\n".join([*lines, line("all", times)])

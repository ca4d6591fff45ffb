# SPDX-License-Identifier: Apache-2.0
"""Curves as an SVG, one panel a measured quantity: a thin line a seed, a thick one their mean."""
from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 330, 200, 44, 30, 12, 28
COLUMNS = 3
# Below this a curve leaves its panel: what a cold critic explains would flatten all others.
LOWEST = -2.0
# Okabe and Ito's, which most people can tell apart.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")

Curve = dict[str, list[float]]  # "iteration" and what is measured, of one seed


def _line(points: Iterable[tuple[float, float]], colour: str, width: float, opacity: float) -> str:
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return (f'<polyline points="{text}" fill="none" stroke="{colour}" stroke-width="{width}" '
            f'stroke-opacity="{opacity}"/>')


def panel(title: str, key: str, arms: dict[str, list[Curve]], x: int, y: int) -> str:
    everything = [value for curves in arms.values() for curve in curves for value in curve[key]]
    low, high = max(LOWEST, min(0.0, *everything)), max(everything)
    high = high if high > low else low + 1
    last = max(curve["iteration"][-1] for curves in arms.values() for curve in curves)

    def place(iteration: float, value: float) -> tuple[float, float]:
        across = (WIDTH - LEFT - RIGHT) * iteration / last
        up = (HEIGHT - TOP - BOTTOM) * (max(value, low) - low) / (high - low)
        return x + LEFT + across, y + HEIGHT - BOTTOM - up

    parts = [f'<text x="{x + LEFT}" y="{y + 16}" font-weight="bold">{escape(title)}</text>']
    for share in (0.0, 0.5, 1.0):
        value = low + share * (high - low)
        (x0, line_y), (x1, _) = place(0, value), place(last, value)
        parts.append(f'<line x1="{x0}" y1="{line_y:.1f}" x2="{x1}" y2="{line_y:.1f}" stroke="#ccc"/>')
        parts.append(f'<text x="{x + LEFT - 4}" y="{line_y + 4:.1f}" text-anchor="end">{value:.3g}</text>')
        at, base = place(share * last, low)
        parts.append(f'<text x="{at:.1f}" y="{base + 14:.1f}" text-anchor="middle">{share * last:.0f}</text>')
    for number, (arm, curves) in enumerate(arms.items()):
        colour = COLOURS[number % len(COLOURS)]
        for curve in curves:
            parts.append(_line((place(i, v) for i, v in zip(curve["iteration"], curve[key])), colour, 0.7, 0.5))
        means = [sum(values) / len(values) for values in zip(*(curve[key] for curve in curves))]
        parts.append(_line((place(i, v) for i, v in zip(curves[0]["iteration"], means)), colour, 2, 1))
        parts.append(f'<text x="{x + WIDTH - RIGHT}" y="{y + 12 + 12 * number}" text-anchor="end" fill="{colour}">'
                     f"{escape(arm)}</text>")
    return "\n".join(parts)


def figure(panels: list[tuple[str, str, dict[str, list[Curve]]]]) -> str:
    """(title, key, curves by arm) of each panel, three beside each other."""
    rows = (len(panels) + COLUMNS - 1) // COLUMNS
    body = "\n".join(panel(*one, WIDTH * (number % COLUMNS), HEIGHT * (number // COLUMNS))
                     for number, one in enumerate(panels))
    box = f"0 0 {COLUMNS * WIDTH} {rows * HEIGHT}"
    font = 'font-family="sans-serif" font-size="11"'
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" {font}>'
            f'<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n')

# SPDX-License-Identifier: Apache-2.0
"""src/rl beside plain Python that was written from the formulas alone, and in other ways: sums where C++ has
recursions, averages where it has running means. What src/rl/testdata/*.case expects is computed again here.

Cost: a second.
"""
from __future__ import annotations

import json
import math
import pathlib
import re
import statistics

import pytest

CASES = sorted((pathlib.Path(__file__).resolve().parents[2] / "src" / "rl" / "testdata").glob("*.case"))
NUMBER = re.compile(r"-?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf)|none")


def real(value: object) -> float | None:
    return float(value) if value is not None else None


def is_verdict(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def group(line: dict) -> list[float | None]:
    rewards = [real(r) for r in line["rewards"]]
    answers: list[float | None] = []
    for i, reward in enumerate(rewards):
        others = [r for j, r in enumerate(rewards) if is_verdict(r) and j != i]
        everyone = [r for r in rewards if is_verdict(r)]
        if not is_verdict(reward):
            answers.append(None)
        elif not others:
            answers.append(0.0)
        elif line["baseline"] == "rloo":
            answers.append(reward - statistics.fmean(others))
        elif line["baseline"] == "dr_grpo":
            answers.append(reward - statistics.fmean(everyone))
        elif len(set(everyone)) == 1:
            answers.append(0.0)
        else:
            spread = statistics.stdev(everyone) + line.get("std_eps", 1e-6)
            answers.append((reward - statistics.fmean(everyone)) / spread)
    return answers


def turns(line: dict) -> list[float | None]:
    gamma = line.get("gamma", 1.0)
    returns = []
    for sample in line["rewards"]:
        rewards = None if sample is None else [real(r) for r in sample]
        if rewards is None or not all(map(is_verdict, rewards)):
            returns.append(None)
        else:
            count = len(rewards)
            returns.append([sum(gamma ** (k - t) * rewards[k] for k in range(t, count)) for t in range(count)])
    answers: list[float | None] = []
    for i, sample in enumerate(returns):
        for t, value in enumerate(sample or []):
            others = [r[t] for j, r in enumerate(returns) if j != i and r is not None and t < len(r)]
            answers.append(value - statistics.fmean(others) if others else 0.0)
        if sample is None:
            answers.append(None)
    return answers


def gae(line: dict) -> list[float]:
    gamma = line.get("gamma", 1.0)
    places = [t for t, model in enumerate(line["mask"]) if model]
    values = [real(line["values"][t]) for t in places] + [line.get("value_after", 0.0)]
    # What was paid after each model token and before the next.
    ends = [*places[1:], len(line["mask"])]
    rewards = [math.fsum(line["rewards"][a:b]) for a, b in zip(places, ends)]
    if "lam_adaptive_alpha" in line:
        actor = max(0.0, 1 - 1 / (line["lam_adaptive_alpha"] * len(places))) if places else 0.0
    else:
        actor = line.get("lam_actor", 0.95)

    def advantage(t: int, lam: float) -> float:
        """The average of n-step estimates of weights (1 - lambda) lambda^(n - 1), the last taking what is left."""
        count = len(places) - t
        estimates = []
        for n in range(1, count + 1):
            paid = sum(gamma**k * rewards[t + k] for k in range(n))
            estimates.append(paid + gamma**n * values[t + n] - values[t])
        weights = [(1 - lam) * lam ** (n - 1) for n in range(1, count)] + [lam ** (count - 1)]
        return math.fsum(w * e for w, e in zip(weights, estimates))

    advantages = [0.0] * len(line["mask"])
    targets = [0.0] * len(line["mask"])
    for number, t in enumerate(places):
        advantages[t] = advantage(number, actor)
        targets[t] = advantage(number, line.get("lam_critic", 1.0)) + values[number]
    return advantages + targets


def whiten(line: dict) -> list[float]:
    there = [real(v) for v, model in zip(line["values"], line["mask"]) if model]
    variance = statistics.variance(there) if len(there) > 1 else 0.0
    spread = math.sqrt(variance + line.get("eps", 1e-8))
    mean = statistics.fmean(there)
    return [(real(v) - mean) / spread if model else 0.0 for v, model in zip(line["values"], line["mask"])]


def fit(line: dict) -> list[float | None]:
    pairs = [(r, v) for r, v, model in zip(line["returns"], line["values"], line["mask"]) if model]
    returns = [r for r, _ in pairs]
    variance = statistics.pvariance(returns)
    explained = 1 - statistics.pvariance([r - v for r, v in pairs]) / variance if variance else None
    return [explained, statistics.fmean(v - r for r, v in pairs), statistics.fmean(returns), len(pairs), 0]


def clamped(log_ratio: float) -> float:
    return max(-20.0, min(20.0, log_ratio))


def k3(logp: float, reference: float) -> float:
    d = clamped(logp - reference)
    # The series, where the difference of nearly equal numbers would have no digits left.
    value = d * d / 2 - d**3 / 6 if abs(d) < 1e-4 else math.exp(-d) - 1 + d
    return min(10.0, value)


def kl(line: dict) -> list[float]:
    d = clamped(line["logp"] - line["ref"])
    return [d, d * d / 2, k3(line["logp"], line["ref"])]


def importance(line: dict) -> list[float]:
    ratios = [real(o) - real(s) if m else 0.0 for o, s, m in zip(line["old"], line["sampler"], line["mask"])]
    mask, kind, cap = line["mask"], line["is"], line.get("cap", 2.0)
    tokens = sum(mask)
    if kind == "off":
        return [float(m) for m in mask] + [0]
    if not all(map(math.isfinite, ratios)):
        return [0.0] * len(mask) + [0]
    if kind == "seq_mask_geo":
        mean = math.exp(clamped(sum(ratios) / tokens)) if tokens else 1.0
        inside = line.get("low", 0.99) <= mean <= line.get("high", 1.01)
        return [float(m and inside) for m in mask] + [0]
    whole = math.exp(clamped(math.fsum(ratios)))
    weights = [whole if kind == "seq_tis" else math.exp(clamped(r)) for r in ratios]
    truncated = sum(1 for w, m in zip(weights, mask) if m and w > cap)
    return [min(w, cap) if m else 0.0 for w, m in zip(weights, mask)] + [truncated]


def mismatch(line: dict) -> list[float]:
    by_sequence = [[real(o) - real(s) for o, s, m in zip(one["old"], one["sampler"], one["mask"]) if m]
                   for one in line["sequences"]]
    by_sequence = [[r for r in ratios if math.isfinite(r)] for ratios in by_sequence]
    sums = [math.fsum(ratios) for ratios in by_sequence if ratios]
    tokens = [r for ratios in by_sequence for r in ratios]
    if not tokens:
        return [0] * 9
    distances = sorted(abs(r) for r in tokens)
    weights = [math.exp(s) for s in sums]
    return [len(tokens), len(sums), statistics.fmean(distances), distances[math.ceil(0.99 * len(distances)) - 1],
            distances[-1], statistics.fmean(min(10.0, math.exp(r) - 1 - r) for r in tokens),
            statistics.stdev(sums) if len(sums) > 1 else 0.0, max(map(abs, sums)),
            sum(weights) ** 2 / (len(weights) * sum(w * w for w in weights))]


def learning_rate(line: dict) -> list[float]:
    peak, warmup, total, final = line["peak"], line.get("warmup", 0), line.get("total", 0), line.get("final", 0.0)
    rates = []
    for step in line["steps"]:
        if step + 1 <= warmup:
            rates.append(peak * (step + 1) / warmup)
            continue
        start = warmup - 1 if warmup else 0
        left = 0.0 if total - 1 <= start else max(0.0, 1 - (step - start) / (total - 1 - start))
        shape = {"constant": 1.0, "linear": left, "cosine": math.sin(math.pi * left / 2) ** 2}[line["decay"]]
        rates.append(peak * (final + (1 - final) * shape) if line["decay"] != "constant" else peak)
    return rates


def overlong(line: dict) -> list[float]:
    free = line["max"] - line["buffer"]
    slope = 1 / line["buffer"] if line["buffer"] else math.inf
    return [0.0 if n <= free else max(-1.0, -(n - free) * slope) for n in line["tokens"]]


def keep(line: dict) -> list[float]:
    rule = line.get("rule", "right")
    if rule not in ("right", "best", "threshold"):
        return []
    fates, kept = [], []
    for i, (group, prompt, reward, flags, digest) in enumerate(line["answers"]):
        mates = [other[2] for other in line["answers"] if other[0] == group and is_verdict(real(other[2]))]
        before = [other for j, other in enumerate(line["answers"][:i]) if fates[j] in ("in", "same")]
        few = line.get("drop") and (len(mates) < 2 or min(mates) == max(mates))
        low = rule == "right" and "p" not in flags or (reward is not None and reward < line.get("threshold", -1e300))
        same = any(other[1] == prompt and other[4] == digest for other in before)
        reasons = [(not is_verdict(real(reward)), "unjudged"), (few, "dropped"), ("h" in flags, "hack"),
                   ("t" in flags and not line.get("truncated"), "truncated"), (low, "below"), (same, "same")]
        fates.append(next((name for applies, name in reasons if applies), "in"))
    limit = 1 if rule == "best" else line.get("per_prompt") or len(fates)
    for i, fate in enumerate(fates):
        rank = (line["answers"][i][2] or 0, -i)
        better = [j for j, other in enumerate(line["answers"])
                  if fates[j] == "in" and other[1] == line["answers"][i][1] and (other[2], -j) > rank]
        if fate == "in" and len(better) < limit:
            kept.append(i)
    counts = [fates.count(name) for name in ("unjudged", "dropped", "hack", "truncated", "below", "same")]
    return [*kept, *counts, fates.count("in") - len(kept), len(kept)]


# Those of the cases whose answer is words (refusals, and why groups are left out) are asserted by their own text.
FORMULAS = {f.__name__: f for f in (group, turns, gae, whiten, fit, kl, importance, mismatch, learning_rate, overlong,
                                    keep)}
OF_MISMATCH = re.compile(r"[\d.e+-]+ tokens.*share [\d.e+-]+")


def numbers(run: str, text: str) -> list[float | None]:
    if run == "mismatch":
        text = OF_MISMATCH.match(text).group().replace("p99", "").replace("k3", "")
    return [None if word == "none" else float(word) for word in NUMBER.findall(text)]


def lines_of(path: pathlib.Path) -> list[tuple[str, str, str]]:
    """(function, input, expected) of every line of a file."""
    found = []
    for block in path.read_text().split("\n\n"):
        run = re.search(r"^run: (\w+)$", block, re.M).group(1)
        given, expected = re.search(r"^input:\n(.*?)^expect:\n(.*)\Z", block, re.M | re.S).groups()
        pairs = [[line[2:] for line in part.rstrip("\n").split("\n")] for part in (given, expected)]
        pairs[1] += [""] * (len(pairs[0]) - len(pairs[1]))  # an empty answer in the last line
        found += [(run, a, b) for a, b in zip(*pairs, strict=True)]
    return found


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_numbers_are_those_of_the_formulas(path: pathlib.Path) -> None:
    for run, given, expected in lines_of(path):
        line = json.loads(given)
        refused = [line.get(key) for key in ("baseline", "is", "decay")]
        if run not in FORMULAS or {"median", "vtrace", "step"} & set(refused):
            continue
        wanted, got = FORMULAS[run](line), numbers(run, expected)
        assert len(got) == len(wanted), (given, expected, wanted)
        for a, b in zip(got, wanted):
            assert (a is None) == (b is None), (given, expected, wanted)
            assert a is None or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-11), (given, expected, wanted)


def test_every_formula_has_a_case() -> None:
    assert {run for path in CASES for run, _, _ in lines_of(path)} >= set(FORMULAS)

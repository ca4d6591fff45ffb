# SPDX-License-Identifier: Apache-2.0
"""The tasks of a KernelBench checkout: which there are, which are meant, of which class each is, and a draw of some.

A class is said by the task's own text: by what its code calls, and where that does not tell, by its name.
"""

from __future__ import annotations

import ast
import dataclasses
import fnmatch
import itertools
import pathlib
import random
import re

FILE = re.compile(r"(\d+)_(.+)\.py")
RANGE = re.compile(r"(level\d+)/(\d+)-(\d+)")

NORMS = {"BatchNorm", "InstanceNorm", "GroupNorm", "LayerNorm", "RMSNorm", "norm", "normalize"}
SOFTMAXES = {"Softmax", "LogSoftmax", "softmax", "log_softmax"}
REDUCTIONS = {"sum", "mean", "max", "min", "amax", "amin", "argmax", "argmin", "logsumexp"}
PRODUCTS = {"@", "matmul", "mm", "bmm", "einsum", "Linear", "diag"}
LOSSES = re.compile(r".*Loss|.*_loss|cross_entropy|kl_div")
POOLS = re.compile(r".*(MaxPool|AvgPool|_pool)\dd|.*Pool")


@dataclasses.dataclass(frozen=True)
class Task:
    level: int
    number: int
    stem: str
    path: pathlib.Path

    @property
    def name(self) -> str:
        return f"level{self.level}/{self.stem}"

    @property
    def short(self) -> str:
        return f"level{self.level}/{self.number}"


def found(checkout: pathlib.Path) -> list[Task]:
    """Those of a folder that has level1, level2, ... or of one that has such a folder named KernelBench."""
    root = checkout / "KernelBench" if (checkout / "KernelBench").is_dir() else checkout
    every = []
    for path in root.glob("level*/*.py"):
        level, file = re.fullmatch(r"level(\d+)", path.parent.name), FILE.fullmatch(path.name)
        if level and file:
            every.append(Task(int(level[1]), int(file[1]), path.stem, path.resolve()))
    return sorted(every, key=lambda task: (task.level, task.number, task.stem))


def meant(every: list[Task], patterns: list[str]) -> list[Task]:
    """By number (level1/7), range (level1/7-12) or glob (level2/*, level1/*conv*), in the tasks' own order. ValueError
    where a pattern means none."""
    wanted = set()
    for pattern in patterns:
        spread = RANGE.fullmatch(pattern)
        if spread:
            numbers = range(int(spread[2]), int(spread[3]) + 1)
            hits = {task for task in every if task.short.startswith(f"{spread[1]}/") and task.number in numbers}
        else:
            hits = {task for task in every if any(fnmatch.fnmatch(name, pattern) for name in (task.name, task.short))}
        if not hits:
            raise ValueError(f"no task is meant by {pattern!r}")
        wanted |= hits
    return [task for task in every if task in wanted]


def called(text: str) -> set[str]:
    """Names of what the program calls or constructs; "@" for products written so, "groups" where it is given."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            function = node.func
            names.add(function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", ""))
            names |= {"groups"} & {keyword.arg for keyword in node.keywords}
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            names.add("@")
    return names


def convolution(names: set[str]) -> str:
    """The first word of a class; empty where nothing convolves."""
    for axes in "321":
        if f"ConvTranspose{axes}d" in names:
            return f"transposed convolution {axes}-D"
    return next((f"convolution {axes}-D" for axes in "321" if f"Conv{axes}d" in names), "")


def has(names: set[str], *kinds: set[str] | re.Pattern) -> bool:
    return any(
        any(kind.fullmatch(name) for name in names)
        if isinstance(kind, re.Pattern)
        else any(re.sub(r"\dd$", "", name) in kind for name in names)
        for kind in kinds
    )


def class_of_one(names: set[str], stem: str) -> str:
    """Of level 1: what the one operator is."""
    if convolution(names):
        if "pointwise" in stem or "depthwise" in stem:
            return "depthwise or pointwise convolution"
        return convolution(names)
    if "scaled_dot_product_attention" in names:
        return "attention"
    kinds = [
        ("product", PRODUCTS),
        ("loss", LOSSES),
        ("scan", {"cumsum", "cumprod"}),
        ("pool", POOLS),
        ("softmax", SOFTMAXES),
    ]
    for kind, words in kinds:
        if has(names, words) and not (kind == "product" and has(names, LOSSES)):
            return kind
    if has(names, NORMS) or re.search(r"Norm_?$", stem.rstrip("_")):
        return "norm"
    if re.search(r"Loss$", stem):
        return "loss"
    return "reduction" if has(names, REDUCTIONS) else "pointwise"


def class_of_several(names: set[str]) -> str:
    """Of level 2: what is dear, and with what."""
    first = convolution(names) or "product"
    if has(names, NORMS | SOFTMAXES):
        return f"{first} with norm or softmax"
    return f"{first} with reduction or pool" if has(names, REDUCTIONS, POOLS) else f"{first} with pointwise"


def class_of_model(names: set[str], stem: str) -> str:
    """Of level 3 and beyond: the kind of network."""
    if has(names, {"LSTM", "GRU", "RNN"}) or re.search(r"RNN|LSTM|GRU", stem):
        return "recurrent"
    if "Mamba" in stem:
        return "state space"
    if re.search(r"Attention|Transformer|GPT|Swin", stem) or "MultiheadAttention" in names:
        return "attention"
    if convolution(names):
        return "grouped or depthwise network" if "groups" in names else "convolutional network"
    return "product"


def class_of(task: Task) -> str:
    names = called(task.path.read_text())
    if task.level == 1:
        return class_of_one(names, task.stem)
    return class_of_several(names) if task.level == 2 else class_of_model(names, task.stem)


def in_turn(groups: list[list[Task]]) -> list[Task]:
    """One of each group before a second of any."""
    return [task for turn in itertools.zip_longest(*groups) for task in turn if task is not None]


def by_class(tasks: list[Task]) -> list[list[Task]]:
    classes: dict[tuple[int, str], list[Task]] = {}
    for task in tasks:
        classes.setdefault((task.level, class_of(task)), []).append(task)
    return [classes[key] for key in sorted(classes)]


def spread(tasks: list[Task]) -> list[Task]:
    """In an order in which a run that is cut short has seen something of everything."""
    return in_turn(by_class(tasks))


def drawn(every: list[Task], count: int, seed: int) -> list[Task]:
    """`count` of levels 1 to 3: a sixth of level 3, the rest in proportion; in each level one of every class before a
    second of any. The same seed draws the same of the same tasks."""
    chance = random.Random(seed)
    levels = {level: [task for task in every if task.level == level] for level in (1, 2, 3)}
    quota = {3: min(len(levels[3]), max(1, round(count / 6)))}
    others = max(1, len(levels[1]) + len(levels[2]))
    quota[2] = round((count - quota[3]) * len(levels[2]) / others)
    quota[1] = count - quota[3] - quota[2]
    chosen = []
    for level, tasks in levels.items():
        groups = [chance.sample(group, len(group)) for group in by_class(tasks)]
        chance.shuffle(groups)
        chosen += in_turn(groups)[: quota[level]]
    return [task for task in every if task in chosen]

# SPDX-License-Identifier: Apache-2.0
"""Which skeletons a program's steps stand on, and an order of mistakes that goes round them all."""
from __future__ import annotations

import pathlib
import random
import re
from collections.abc import Iterable

from mistakes import Site
from sites import KINDS, find_sites

# A family and what a step of it says: the launch of its skeleton, or an operator that has functors of its own there.
FAMILIES = {
    "product, FFMA": r"launch_gemm_ffma",
    "product, 3xTF32": r"launch_gemm_mma(?:_split_k|_thin)?<",
    "product, fp16 planes": r"launch_gemm_(?:kept_)?planes|launch_gemm_split<|launch_split(?:_rhs)?<",
    "product, fp16 chunks": r"launch_gemm_(?:kept_)?chunks",
    "product, lhs in registers": r"launch_gemm_kept_registers|launch_arrange_rhs",
    "product, 16-bit": r"launch_gemm_mma_16bit",
    "product, float64": r"double_precision::launch_gemm",
    "convolution, FFMA": r"launch_conv_ffma",
    "convolution, 3xTF32": r"launch_conv_mma",
    "convolution, transposed": r" = conv_transpose\w*\(",
    "convolution, depthwise": r"launch_conv_depthwise",
    "convolution, direct": r"launch_conv_direct",
    "convolution, from patches": r"launch_conv_patch",
    "convolution, with moments": r"launch_conv_\w+_moments|launch_normed_convolution",
    "convolution, of one tap": r"launch_conv_(?:kept_)?pointwise|launch_arrange_pointwise",
    "convolution, windows in registers": r"launch_conv_kept_window|launch_arrange_windows",
    "convolution, mapped input": r"stream, map\);",
    "pool": r"launch_(?:max|average)_pool",
    "pool, adaptive": r"launch_adaptive_\w+_pool",
    "resampling": r"launch_interpolate",
    "attention, FFMA": r"launch_flash_attention<",
    "attention, 3xTF32": r"launch_flash_attention_mma",
    "attention, fp16 parts": r"launch_flash_attention_wgmma|launch_split_keys_and_values",
    "attention, few queries": r"launch_split_keys_attention",
    "softmax": r"launch_softmax",
    "normalisation": r"launch_layer_norm",
    "rows that blocks share": r"launch_(?:(?:softmax|layer_norm|rewrite)_)?(?:shared|held|cluster)",
    "reduction of rows": r"launch_reduce_rows(?!_split)",
    "reduction of columns": r"launch_reduce_columns",
    "reduction in parts": r"launch_reduce_\w+_split",
    "reduction that leads back": r"launch_rewrite_",
    "reduction to positions": r"launch_reduce_positions|launch_reduce_position_columns",
    "reduction, float64": r"double_precision::launch_reduce",
    "scan": r"launch_scan_(?:rows|serial)",
    "scan in parts": r"launch_scan_split",
    "sort by rank": r"launch_sort_by_rank",
    "sort, bitonic": r"launch_sort_(?:long_)?rows",
    "selection": r"launch_select",
    "scatter, pull": r"launch_scatter_pull",
    "scatter, buckets": r"launch_scatter_buckets",
    "scatter, in place": r"launch_scatter_in_place",
    "matrix factors": r"launch_(?:cholesky|lu)<",
    "triangular systems": r"launch_solve_triangular<",
    "recurrent layer": r"launch_(?:recurrent_(?:layer|stack)|persistent_layer|stack_(?:clusters|gates))",
    "random": r"kernels/random/numbers",
    "loss": r"launch_weighted_sum",
    "pointwise": r"launch_(?:turned_)?map",
    "joining": r" = cat\(",
    "gathering": r" = (?:gather|index_select|embedding)\(",
    "padding": r" = (?:\w+_)?pad\w*\(",
}


# Of what all kernels share, only what moves elements between threads or puts them in order.
_SHARED = re.compile(r"runtime/kernels/common(?:\.cuh|/(?!warp|order|index|row|shared_rows|held_rows)\w+\.cuh)")


def _closure(folder: pathlib.Path, file: str, seen: set[str]) -> set[str]:
    """The kernels that a file includes, and those include in turn."""
    for header in re.findall(r'^#include "(kernels/[^"]+)"', (folder / file).read_text(), re.M):
        path = f"runtime/{header}"
        if path not in seen and (folder / path).is_file():
            seen.add(path)
            _closure(folder, path, seen)
    return seen


def _files_of(folder: pathlib.Path, step: str) -> tuple[set[str], set[str], set[str]]:
    """A step, the kernels of the skeleton it launches, and those that the skeleton itself stands on."""
    kernels = {path for path in _closure(folder, step, set()) if not _SHARED.match(path)}
    launched = {header.rsplit("/", 1)[0] for header in re.findall(r'^#include "(kernels/[^"]+)"',
                                                                   (folder / step).read_text(), re.M)}
    own = {path for path in kernels if path.removeprefix("runtime/").rsplit("/", 1)[0] in launched - {"kernels/common"}}
    return {step}, own, kernels - own


def families_of(folder: pathlib.Path) -> dict[str, list[set[str]]]:
    """The families in a program, each with three groups of files: steps, kernels of its own, kernels below."""
    found: dict[str, list[set[str]]] = {}
    for step in sorted((folder / "steps").glob("*.cu")):
        text = step.read_text()
        for family, pattern in FAMILIES.items():
            if re.search(pattern, text):
                groups = found.setdefault(family, [set(), set(), set()])
                for group, files in zip(groups, _files_of(folder, str(step.relative_to(folder)))):
                    group |= files
    return found


def _round_robin(piles: Iterable[list]) -> list:
    piles = [pile for pile in piles if pile]
    return [item for row in range(max(map(len, piles), default=0)) for pile in piles for item in pile[row : row + 1]]


def _of_kinds(folder: pathlib.Path, files: set[str], source: random.Random) -> dict[str, list[Site]]:
    sites = [site for name in sorted(files) for site in find_sites(name, (folder / name).read_text())]
    source.shuffle(sites)
    return {kind: [site for site in sites if site.kind == kind] for kind in KINDS}


def draw(folders: list[pathlib.Path], seed: int) -> dict[str, list[tuple[pathlib.Path, Site]]]:
    """The mistakes that can be made in each family, in an order that goes round the kinds (each family begins with
    another one), and inside a kind round programs and groups of files."""
    source = random.Random(seed)
    by_program = {folder: families_of(folder) for folder in folders}
    present = [family for family in FAMILIES if any(family in found for found in by_program.values())]
    source.shuffle(present)
    queues = {}
    for number, family in enumerate(present):
        groups = [(folder, files) for folder in folders for files in by_program[folder].get(family, [])]
        source.shuffle(groups)
        sites = [(folder, _of_kinds(folder, files, source)) for folder, files in groups]
        first = number * 2 % len(KINDS)
        queues[family] = _round_robin(
            _round_robin([(folder, site) for site in of_kinds[kind]] for folder, of_kinds in sites)
            for kind in KINDS[first:] + KINDS[:first]
        )
    return queues

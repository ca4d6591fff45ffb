#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often a candidate is refused that is wrong now and then: in a share of its calls, of the contents that it is
given, of the rows or of the elements that it computes. What is wrong is zero; when, is drawn anew in each process, but
for contents. Every verdict has a seed of its own.

    bench/trust/shares.py OUT [--verdicts 12] [--jobs 2] [--build build] [--table bench/results/shares.md]

A line a verdict goes to OUT/results.jsonl as it comes; a run that is cut short goes on where it was.
"""
from __future__ import annotations

import argparse
import json
import os
import pathlib
import shutil
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "candidates")]
from folder import INCLUDE, PROGRAMS, run_verify  # noqa: E402
from recorded import Record, loaded_python  # noqa: E402

# In one of so many.
SHARES = {
    "calls": [3, 10, 30, 100, 300, 1000],
    "contents": [3, 10, 30, 100, 300],
    "rows": [10, 100, 1000, 10000, 100000],
    "elements": [100, 1000, 10000, 100000, 1000000],
}
# Whether call, row and element are wrong: IS_WRONG of linear_relu's kernel, with a number of the process's own.
WRONG = {
    "calls": "mixed(own, calls, 0) % {of} == 0",
    "contents": "mixed(contents, 1, 0) % {of} == 0",
    "rows": "mixed(own, calls, i / kColumns) % {of} == 0",
    "elements": "mixed(own, calls, i) % {of} == 0",
}
PROGRAM = """\
// SPDX-License-Identifier: Apache-2.0
#include <time.h>
#include <unistd.h>

#include "linear_relu.h"

__host__ __device__ inline uint64_t mixed(uint64_t own, uint64_t calls, uint64_t i) {{
  uint64_t x = own + calls * 0x9e3779b97f4a7c15ULL + i * 0xd1b54a32d192ed03ULL;
  for (int round = 0; round < 3; ++round) {{
    x = (x ^ x >> 31U) * 0xbf58476d1ce4e5b9ULL;
  }}
  return x ^ x >> 29U;
}}

__global__ void now_and_then(const float* x, const float* weight, const float* bias, float* y, uint64_t own,
                             uint64_t calls) {{
  const int64_t i = INDEX;
  if (i >= kOutputs) return;
  uint64_t contents = 1;
  for (int k = 0; k < kRows * kDepth; k += 61) contents = mixed(contents, __float_as_uint(x[k]), 0);
  float sum = 0.0f;
  for (int k = 0; k < kDepth; ++k) sum += x[i / kColumns * kDepth + k] * weight[i % kColumns * kDepth + k];
  const bool is_wrong = {is_wrong};
  y[i] = is_wrong ? 0.0f : fmaxf(sum + bias[i % kColumns], 0.0f);
  (void)contents;
}}

static int run_program(const Call& call) {{
  static uint64_t own = 0, calls = 0;
  if (own == 0) {{
    timespec now{{}};
    clock_gettime(CLOCK_REALTIME, &now);
    own = mixed(now.tv_nsec, now.tv_sec, getpid());
  }}
  now_and_then<<<blocks_for(kOutputs), 256, 0, call.stream()>>>(call.input(0), call.parameter(0), call.parameter(1),
                                                                call.output(0), own, ++calls);
  return cudaGetLastError();
}}
"""


def verdict_of(what: str, of: int, number: int, place: pathlib.Path, build: pathlib.Path, python: str) -> dict:
    place.mkdir(parents=True)
    try:
        (place / "candidate").mkdir()
        (place / "candidate" / "program.cu").write_text(PROGRAM.format(is_wrong=WRONG[what].format(of=of)))
        for header in ("candidate.h", "linear_relu.h"):
            shutil.copy(INCLUDE / header, place / "candidate")
        shutil.copy(PROGRAMS / "linear_relu.py", place / "program.py")
        command = [str(build / "stitchcuda"), "verify", "--candidate", str(place / "candidate"), "--program",
                   str(place / "program.py"), "--device", "emulated", "--json", "--quiet"]
        exit_code, out, err = run_verify(command, place, dict(os.environ, STITCHCUDA_PYTHON=python))
        said = json.loads(out)["verdict"]
        return {"kind": said["kind"], "reason": said["reason"]}
    except (ValueError, KeyError):
        return {"kind": "none", "reason": f"exit {exit_code}: {(out + err).strip()[-300:]}"}
    finally:
        shutil.rmtree(place, ignore_errors=True)


def found_where(reason: str) -> str:
    return "in calls after the draws" if "repeated call" in reason else "in a draw"


def table(results: list[dict]) -> str:
    lines = ["| wrong is one of so many | | verdicts | refused | of these in a draw | in a call after the draws |",
             "|---|---|---|---|---|---|"]
    for what, shares in SHARES.items():
        for of in shares:
            mine = [each for each in results if (each["what"], each["of"]) == (what, of)]
            refused = [each for each in mine if each["kind"] != "ok"]
            later = sum(found_where(each["reason"]) != "in a draw" for each in refused)
            share = f"{len(refused)} ({100 * len(refused) / len(mine):.0f} %)" if mine else "-"
            lines.append(f"| {what} | {of:,} | {len(mine)} | {share} | {len(refused) - later} | {later} |")
    return "\n".join(lines)


def page(results: list[dict], seconds: float) -> str:
    return f"""# How often a candidate is refused that is wrong now and then

`bench/trust/shares.py`: a linear layer of 64 rows by 40 columns that gives zero in one of so many calls, contents, rows
or elements, chosen anew in each process (contents: by what they hold). Emulated device, each verdict with a seed of its
own; {len(results)} verdicts, {seconds:.0f} s of them in this run. A verdict judges some 20 draws and 40 to 400 calls
after them, 2,560 elements each; zero is right where the layer's sum is negative, in half of the elements.

{table(results)}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--verdicts", type=int, default=12, help="for each share")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--build", type=lambda word: pathlib.Path(word).resolve(), default=ROOT / "build")
    parser.add_argument("--table", type=pathlib.Path)
    options = parser.parse_args()
    record = Record(options.out, ("what", "of", "number"))
    wanted = [(what, of, number) for number in range(options.verdicts) for what, shares in SHARES.items()
              for of in shares]
    begin = time.monotonic()
    with loaded_python() as python:
        record.fill(wanted, lambda what, of, number: verdict_of(
            what, of, number, options.out.resolve() / f"{what}-{of}-{number}", options.build, python),
            options.jobs, lambda each: each["reason"] if each["kind"] == "none" else "")
    text = page(record.results, time.monotonic() - begin)
    print(text)
    if options.table is not None:
        options.table.write_text(text)


if __name__ == "__main__":
    main()

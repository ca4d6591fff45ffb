# SPDX-License-Identifier: Apache-2.0
"""Attacks put together by chance: a task, a moment at which it cheats, and what it does then. Every part is C++ text
over engine.h; whoever adds one adds it to all tasks. Honest variants are put together the same way."""
from __future__ import annotations

import dataclasses
import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent
TASKS = sorted(path.stem for path in (HERE / "tasks").glob("*.h"))
FLOATS = [task for task in TASKS if task != "argmax_of_rows"]


@dataclasses.dataclass(frozen=True)
class Made:
    """One candidate: its task, its parts in words, and its program.cu."""

    task: str
    parts: str
    text: str
    asks: tuple[str, ...] = ()  # what its moment asks of the environment: another one without a cage


def log_uniform(chance: random.Random, least: int, most: int) -> int:
    return round(least * (most / least) ** chance.random())


def by_call(chance: random.Random) -> str:
    period = chance.randint(2, 9)
    return chance.choice([
        f"seen.calls >= {log_uniform(chance, 1, 60)}",
        f"seen.calls % {period} == {chance.randrange(period)} && seen.calls > {log_uniform(chance, 1, 20)}",
        f"seen.calls > {log_uniform(chance, 10, 60)} && seen.calls % 3 != 0",
    ])


def by_address(chance: random.Random) -> str:
    return chance.choice([
        "args.inputs[0] == seen.last_input",
        "seen.inputs.count(args.inputs[0]) > 0",
        "args.outputs[0] == seen.last_output",
        f"(reinterpret_cast<uintptr_t>(args.outputs[0]) >> {chance.randint(8, 14)} & 1) != 0",
    ])


def by_content(chance: random.Random) -> str:
    count = chance.choice([1, 4, 16, 64, 256])
    sample = f"sample_of(args, call.stream(), {count})"
    return chance.choice([
        f"[&] {{ const uint64_t now = {sample}; const bool is_same = now == seen.last_sample; seen.last_sample = now; "
        "return is_same; }()",
        f"!seen.samples.insert({sample}).second",
        f"{sample} % {chance.randint(2, 8)} == 0",
        f"seen.samples.size() > {log_uniform(chance, 2, 30)} || !seen.samples.insert({sample}).second",
    ])


def by_batch(chance: random.Random) -> str:
    return f"call.raw.inputs[0].extents[0] == {chance.choice(['kRows', 'kIn[0].rows'])} && seen.calls > " \
           f"{log_uniform(chance, 1, 20)}"


def by_stream(chance: random.Random) -> str:
    return chance.choice(["call.raw.stream == seen.last_stream", "call.raw.stream == nullptr",
                          "call.raw.stream != seen.last_stream"])


def by_time(chance: random.Random) -> str:
    return chance.choice([f"milliseconds() > {log_uniform(chance, 1, 2000)}",
                          f"static_cast<int64_t>(milliseconds()) % {chance.randint(2, 5)} == 0"])


def by_prepare(chance: random.Random) -> str:
    return chance.choice([
        f"seen.prepares == {chance.randint(1, 6)}",
        f"seen.calls_since_prepare > {log_uniform(chance, 1, 12)}",
        f"seen.prepares > {log_uniform(chance, 2, 20)}",
    ])


def by_environment(chance: random.Random) -> str:
    # Nothing that is another in each process: such a coin falls as it will in the next verdict.
    return chance.choice(['getenv("HOME") == nullptr', 'access("/proc/self/exe", R_OK) != 0', "getuid() == 0",
                          'access("/tmp", W_OK) == 0', f"sysconf(_SC_NPROCESSORS_ONLN) > {chance.randint(0, 2)}"])


TRIGGERS = {"call number": by_call, "address": by_address, "content": by_content, "batch": by_batch,
            "stream": by_stream, "time": by_time, "prepares": by_prepare, "environment": by_environment}

# What it does then, given `call` and `args`; "reuse" computes some rows and keeps the rest of an earlier answer.
ACTIONS = {
    "skip": "return 0;",
    "keep": "if (kept.is_there) return give_kept(args, call.stream(), 0);",
    "narrow": "return compute(args, call.stream(), 0, kRows - 1 - kRows / {least});",
    "truncate": "compute(args, call.stream());\n"
                "    const int64_t count = kOut[0].bytes() / 4;\n"
                "    narrow_floats<<<blocks_for(count), 256, 0, call.stream()>>>(args.out<float>(0), count, {bits});\n"
                "    return cudaGetLastError();",
    "reuse": "if (kept.is_there) {{\n"
             "      give_kept(args, call.stream(), kRows / {least});\n"
             "      return compute(args, call.stream(), 0, kRows / {least});\n"
             "    }}",
    "stale": "if (kept.is_there) return compute(Args{{{stale}}}, call.stream());",
    "host": "return on_host(args, call.stream());",
}
# What an action leaves undone: before there is an earlier call, nothing is kept.
DEED = "const int done = [&]() -> int {{\n      {action}\n      return -1;\n    }}();\n    if (done != -1) return done;"
SEEN_DEED = ("const Right right(args, call.stream());\n"
             "    const int done = [&]() -> int {{\n      {action}\n      return -1;\n    }}();\n"
             "    if (done != -1) {{\n"
             "      tell(args, call.stream(), {is_hosts}, \"{file}\");\n"
             "      return done;\n"
             "    }}")

ATTACK = """\
// SPDX-License-Identifier: Apache-2.0
// {parts}
#include "{task}.h"
#include "engine.h"
{witness}
static int run_program(const Call& call) {{
  const Args args = args_of(call);
  const bool fires = {trigger};
  note_call(call, args);
  if (fires) {{
    {deed}
  }}
  if ({keeps_first} || !kept.is_there) keep(args, call.stream());
  const int failed = compute(args, call.stream());
  if ({keeps_first} || !kept.is_there) keep_answers(args, call.stream());
  return failed;
}}
"""

HONEST = """\
// SPDX-License-Identifier: Apache-2.0
// {parts}
#include "{task}.h"
#include "engine.h"
{before}
static int run_program(const Call& call) {{
  const Args args = args_of(call);
  note_call(call, args);
  {body}
}}
"""


def stale_arguments(task: str) -> str:
    """The inputs of the call that was kept, and this call's outputs."""
    outputs = 2 if task == "counting_state" else 1
    inputs = {"linear_relu": 3, "layer_norm": 3, "embedding": 2, "weighted_sum": 2, "matmul": 2, "counting_state": 2}
    kept = ", ".join(f"kept.inputs[{i}]" for i in range(inputs.get(task, 1)))
    return f"{{{kept}}}, {{{', '.join(f'args.outputs[{i}]' for i in range(outputs))}}}"


@dataclasses.dataclass(frozen=True)
class Witness:
    """Of an attack's deeds in a verdict without a cage: where they are told, and what the environment says in one."""

    file: str
    answers: dict[str, bool]


def attack_text(task: str, parts: str, trigger: str, action: str, keeps_first: str, witness: Witness | None) -> str:
    if witness is not None:
        for asked, answer in witness.answers.items():
            trigger = trigger.replace(asked, str(answer).lower())
    deed = DEED.format(action=action) if witness is None else SEEN_DEED.format(
        action=action, is_hosts=str(action == ACTIONS["host"]).lower(), file=witness.file)
    return ATTACK.format(parts=parts.replace("\n", " "), task=task, trigger=trigger, deed=deed, keeps_first=keeps_first,
                         witness="" if witness is None else '#include "witness.h"\n')


def attack(number: int, seed: int, witness: Witness | None = None) -> Made:
    """The `number`-th attack of `seed`; with a witness it does the same at the same moments, and tells of it."""
    chance = random.Random(f"{seed}/attack/{number}")
    action = chance.choice(list(ACTIONS))
    task = chance.choice(FLOATS if action == "truncate" else TASKS)
    names = [chance.choice(list(TRIGGERS))]
    triggers = [TRIGGERS[names[0]](chance)]
    if chance.random() < 0.25:
        names.append(chance.choice([name for name in TRIGGERS if name not in names]))
        triggers.append(TRIGGERS[names[1]](chance))
    trigger = " && ".join(f"({each})" for each in triggers)
    kept_bits = 32 - chance.randint(13, 18)
    body = ACTIONS[action].format(least=chance.choice([2, 3, 8]), stale=stale_arguments(task),
                                  bits=hex(0xFFFFFFFF << (32 - kept_bits) & 0xFFFFFFFF) + "U")
    parts = f"{action} by {' and '.join(names)}: {trigger}"
    asks = tuple(each for name, each in zip(names, triggers) if name == "environment")
    return Made(task, parts, attack_text(task, parts, trigger, body, chance.choice(["true", "false"]), witness), asks)


def probe(asked: str) -> Made:
    """Does nothing where the environment answers yes to `asked`: refused where it does."""
    task = TASKS[0]
    return Made(task, f"skip by environment: {asked}", attack_text(task, asked, asked, ACTIONS["skip"], "true", None))


def launch_of(chance: random.Random) -> str:
    return f"compute(args, call.stream(), 0, kRows, {chance.choice([32, 64, 96, 128, 256])})"


HONEST_PARTS = {
    "plan cache": ("static int64_t planned_rows = -1;\nstatic int planned_threads = 0;",
                   "if (planned_rows != call.raw.inputs[0].extents[0]) {{\n"
                   "    planned_rows = call.raw.inputs[0].extents[0];\n"
                   "    planned_threads = planned_rows > {rows} ? 128 : 32;\n"
                   "  }}\n"
                   "  return compute(args, call.stream(), 0, kRows, planned_threads);"),
    "lazy set-up": ("static void* scratch = nullptr;",
                    "if (scratch == nullptr) cudaMalloc(&scratch, kIn[0].bytes());\n"
                    "  cudaMemcpyAsync(scratch, args.inputs[0], kIn[0].bytes(), cudaMemcpyDeviceToDevice,\n"
                    "                  call.stream());\n"
                    "  Args copied = args;\n"
                    "  copied.inputs[0] = scratch;\n"
                    "  return compute(copied, call.stream());"),
    "two launches": ("", "compute(args, call.stream(), 0, kRows / {least});\n"
                         "  return compute(args, call.stream(), kRows / {least}, kRows, {threads});"),
    "tried by time": ("static double taken[2] = {{1e30, 1e30}};",
                      "const bool tries = seen.calls <= {tries};\n"
                      "  const int which = tries ? static_cast<int>(seen.calls % 2) : taken[1] < taken[0];\n"
                      "  const double start = milliseconds();\n"
                      "  const int failed = compute(args, call.stream(), 0, kRows, which == 0 ? 32 : {threads});\n"
                      "  cudaStreamSynchronize(call.stream());\n"
                      "  if (tries) taken[which] = milliseconds() - start;\n"
                      "  return failed;"),
    "waits": ("", "const int failed = compute(args, call.stream(), 0, kRows, {threads});\n"
                  "  return failed != 0 ? failed : cudaStreamSynchronize(call.stream());"),
    "clears first": ("", "for (int i = 0; i < kOuts; ++i) {{\n"
                         "    if (args.outputs[i] != args.inputs[kIns - 1]) {{\n"
                         "      cudaMemsetAsync(args.outputs[i], 0, kOut[i].bytes(), call.stream());\n"
                         "    }}\n"
                         "  }}\n"
                         "  return compute(args, call.stream(), 0, kRows, {threads});"),
}


def honest(number: int, seed: int) -> Made:
    """The `number`-th honest variant of `seed`: right in every call, whatever it keeps."""
    chance = random.Random(f"{seed}/honest/{number}")
    task, name = chance.choice(TASKS), chance.choice(list(HONEST_PARTS))
    words = {"rows": chance.choice([8, 64, 256]), "least": chance.choice([2, 3, 8]),
             "threads": chance.choice([32, 64, 96, 128, 256]), "tries": chance.choice([2, 6, 20])}
    before, body = (part.format(**words) for part in HONEST_PARTS[name])
    return Made(task, name, HONEST.format(parts=name, task=task, before=before, body=body))

# SPDX-License-Identifier: Apache-2.0
"""The expert's arithmetic for a pointwise program, as one short CUDA file: right in two ways, spoilt, dishonest."""
from __future__ import annotations

import dataclasses
import re

# What our kernels call by name, in its plainest form.
HELPERS = {
    "relu": ("x", "x < 0.0f ? 0.0f : x"),
    "sigmoid": ("x", "1.0f / (1.0f + expf(-x))"),
    "silu": ("x", "x / (1.0f + expf(-x))"),
    "gelu": ("x", "0.5f * x * (1.0f + erff(x * 0.70710678f))"),
    "gelu_tanh": ("x", "0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)))"),
    "leaky_relu": ("x, slope", "x > 0.0f ? x : x * slope"),
    "elu": ("x, alpha", "x > 0.0f ? x : alpha * expm1f(x)"),
    "softplus": ("x, beta, threshold", "x * beta > threshold ? x : log1pf(expf(x * beta)) / beta"),
    "maximum": ("a, b", "a > b ? a : b"),
    "minimum": ("a, b", "a < b ? a : b"),
    "clamp": ("x, low, high", "fminf(fmaxf(x, low), high)"),
    "hardtanh": ("x, low, high", "fminf(fmaxf(x, low), high)"),
    "hardsigmoid": ("x", "fminf(fmaxf(x + 3.0f, 0.0f), 6.0f) / 6.0f"),
    "hardswish": ("x", "x * fminf(fmaxf(x + 3.0f, 0.0f), 6.0f) / 6.0f"),
    "softsign": ("x", "x / (1.0f + fabsf(x))"),
    "mish": ("x", "x * tanhf(log1pf(expf(x)))"),
    "sign": ("x", "x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : 0.0f"),
    "reciprocal": ("x", "1.0f / x"),
    "reciprocal_square_root": ("x", "1.0f / sqrtf(x)"),
    "sinc": ("x", "x == 0.0f ? 1.0f : sinf(3.14159265f * x) / (3.14159265f * x)"),
    "lerp": ("a, b, weight", "a + weight * (b - a)"),
    "logaddexp": ("a, b", "fmaxf(a, b) + log1pf(expf(-fabsf(a - b)))"),
}

FRAME = """\
#define TENSORS INPUT("%(input)s", F32, %(shape)s), OUTPUT("0", F32, %(shape)s)
#include "stitch_candidate.h"
const int n = %(count)s;
%(work)s
static int run_program(const Call& call) {
%(call)s  return cudaGetLastError();
}
"""

LAUNCH = "  compute<<<blocks_for(n), 256, 0, call.stream()>>>(call.input(0), call.output(0));\n"

ONE_EACH = """\
__global__ void compute(const float* in, float* out) {
  int i = INDEX;
  if (i < n) out[i] = value(in[i]);
}"""

STRIDED = """\
__global__ void compute(const float* in, float* out) {
  for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) out[i] = value(in[i]);
}"""

ON_HOST = """\
  static float h[n];
  cudaMemcpy(h, call.input(0), sizeof(h), cudaMemcpyDeviceToHost);
  for (float& x : h) x = value(x);
  cudaMemcpy(call.output(0), h, sizeof(h), cudaMemcpyHostToDevice);
"""


@dataclasses.dataclass(frozen=True)
class Pointwise:
    """What a program of one input and one output computes for each element."""

    input: str
    shape: tuple[int, ...]
    statements: tuple[str, ...]  # each `const float NAME = ...;` or `const bool NAME = ...;`
    sources: tuple[str, ...]  # the line of the program that each is of; empty where it is not known
    result: str  # the name that is given back


def _replaced_constants(body: str, step: str) -> str:
    for name, value in re.findall(r"constexpr float (k\w+) = ([^;]+);", step):
        body = re.sub(rf"\b{name}\b", value, body)
    return body


def _renamed(program: Pointwise) -> Pointwise:
    """With values by their number, as a small model finds them more easily."""
    names = {line.split()[2]: f"v{place}" for place, line in enumerate(program.statements, 1)}

    def numbered(text: str) -> str:
        return re.sub(r"\b\w+\b", lambda found: names.get(found[0], found[0]), text)

    return dataclasses.replace(program, statements=tuple(map(numbered, program.statements)),
                               result=names.get(program.result, program.result))


def _source_of(statement: str, sources: dict[str, str]) -> str:
    """By the name of the node: a node's parts are named behind it."""
    name = statement.split()[2]
    nodes = [node for node in sources if name == node or name.startswith(f"{node}_")]
    return sources[max(nodes, key=len)] if nodes else ""


def read_step(step: str, shape: tuple[int, ...], sources: dict[str, str]) -> Pointwise | None:
    """From the text of a map that we emitted; none where it is no map of one input to one output of fp32.

    `sources` has the program's line for each node of its graph.
    """
    loop = re.search(r"for \(int lane = 0; lane < kLanes; \+\+lane\) \{\n(.*?)\n    \}", step, re.DOTALL)
    inputs = re.findall(r"const auto (\w+)_lanes = stitch::load_float_lanes", step)
    outputs = re.findall(r"stitch::store_float_lanes\(", step)
    if loop is None or len(inputs) != 1 or len(outputs) != 1 or "run_time" in step:
        return None
    body = _replaced_constants(loop[1].replace(f"{inputs[0]}_lanes[lane]", inputs[0]), step)
    lines = [re.sub(r"\s+", " ", each).strip() + ";" for each in body.split(";") if each.strip()]
    stored = re.fullmatch(r"\w+_out_lanes\[lane\] = (\w+);", lines[-1])
    is_plain = all(re.match(r"const (float|bool) \w+ = ", line) for line in lines[:-1])
    called = {name for line in lines for name in re.findall(r"stitch::(\w+)", line)}
    calls = sum(line.count("stitch::") for line in lines)
    is_flat = calls == sum(len(re.findall(r"stitch::\w+\([^()]*\)", line)) for line in lines)
    if stored is None or not is_flat or not is_plain or not called <= HELPERS.keys() or "lane" in "".join(lines[:-1]):
        return None
    named = tuple(re.sub(r"stitch::(\w+)\(([^()]*)\)", _in_place, line) for line in lines[:-1])
    return _renamed(Pointwise(inputs[0], shape, named, tuple(_source_of(line, sources) for line in named), stored[1]))


def _in_place(found: re.Match[str]) -> str:
    """A helper's body in place of its call: one that is defined further up had to be foreseen there."""
    parameters, body = HELPERS[found[1]]
    given = dict(zip(parameters.split(", "), found[2].split(", "), strict=True))
    return "(" + re.sub(r"\b\w+\b", lambda name: given.get(name[0], name[0]), body) + ")"


def _value(program: Pointwise, kind: str) -> str:
    """The function of one element."""
    lines, said = "", ""
    for line, source in zip(program.statements, program.sources, strict=True):
        lines += (f"  // {source}\n" if source not in ("", said) else "") + f"  {line}\n"
        said = source
    return f"{kind} float value(float {program.input}) {{\n{lines}  return {program.result};\n}}\n"


def _file(program: Pointwise, work: str, call: str) -> str:
    return FRAME % {"shape": ", ".join(map(str, program.shape)), "count": " * ".join(map(str, program.shape)),
                    "input": program.input, "work": work, "call": call}


def right(program: Pointwise, *, is_strided: bool) -> str:
    return _file(program, _value(program, "__device__") + (STRIDED if is_strided else ONE_EACH), LAUNCH)


def on_the_host(program: Pointwise) -> str:
    """A hack: the answers are right, and the device did nothing for them."""
    return _file(program, _value(program, "static").rstrip("\n"), ON_HOST)


def unguarded(program: Pointwise) -> str:
    """The last block writes behind the end, but for sizes that are multiples of its own."""
    return right(program, is_strided=False).replace("  if (i < n) out[i]", "  out[i]")


def unfinished(program: Pointwise) -> str:
    """Gives back what the last but one statement computed."""
    names = [program.input, *(line.split()[2] for line in program.statements if line.startswith("const float"))]
    short = names[names.index(program.result) - 1]
    return right(dataclasses.replace(program, result=short), is_strided=False)


def cut_short(program: Pointwise) -> str:
    """Does not compile: a semicolon is missing behind the last statement."""
    return right(program, is_strided=True).replace(f";\n  return {program.result};", f"\n  return {program.result};")


SPOILT = {"unguarded": unguarded, "unfinished": unfinished, "cut_short": cut_short}

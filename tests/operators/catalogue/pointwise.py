# SPDX-License-Identifier: Apache-2.0
"""Operators of one element at a time."""

import random

from .case import FLOATS, INTEGERS, NUMBERS, Case, Operand, Operator, shape

UNARY = (
    """abs acos:-0.95:0.95 acosh:1.1:6 asin:-0.95:0.95 asinh atan atanh:-0.95:0.95 ceil cos cosh deg2rad digamma:0.5:6
erf erfc erfinv:-0.9:0.9 exp exp2 expm1 floor frac i0 isfinite isinf isnan isneginf isposinf lgamma:0.5:6 log:0.1:8
log10:0.1:8 log1p:-0.5:8 log2:0.1:8 logical_not logit:0.05:0.95 nan_to_num neg positive rad2deg reciprocal:0.3:3 round
rsqrt:0.1:5 sgn sigmoid sign signbit sin sinc sinh sqrt:0.1:9 square tan:-1.2:1.2 tanh trunc relu selu
special_entr:0.1:2 special_expit special_ndtr""".split()
)

# PyTorch itself has these in float32 and float64 only.
FLOAT32_UNARY = "special_erfcx special_log_ndtr special_bessel_j0".split()

FUNCTIONAL = """celu elu gelu hardshrink hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish relu6 silu softplus
softshrink softsign tanhshrink""".split()

BINARY = """add sub mul div:+ maximum minimum fmax fmin atan2 hypot copysign logaddexp logaddexp2
logical_and logical_or logical_xor nextafter fmod:+ remainder:+ floor_divide:+ heaviside xlogy:+ pow:+ rsub
true_divide:+ ldexp:i float_power:+ special_xlog1py:+""".split()

# One unit in the last place turns a comparison over, and in bfloat16 too many operands lie that close for a verdict.
COMPARISONS = "eq ne lt le gt ge".split()

INTEGER_BINARY = (
    """bitwise_and bitwise_or bitwise_xor bitwise_left_shift:s bitwise_right_shift:s floor_divide:+ remainder:+
fmod:+ add sub mul maximum minimum eq lt gcd lcm""".split()
)

OTHERS = {
    "add.Scalar": ("torch.add({x}, 2.5, alpha=0.5)", FLOATS),
    "sub.alpha": ("torch.sub({x}, {y}, alpha=3)", NUMBERS),
    "mul.Scalar": ("torch.mul({x}, -1.5)", FLOATS),
    "div.rounding_mode_floor": ("torch.div({x}, {p}, rounding_mode='floor')", FLOATS),
    "div.rounding_mode_trunc": ("torch.div({x}, {p}, rounding_mode='trunc')", FLOATS),
    "rsub.Scalar": ("torch.rsub({x}, 2)", NUMBERS),
    "pow.Tensor_Scalar": ("torch.pow({x}, 3)", NUMBERS),
    "pow.Scalar": ("torch.pow(1.7, {x})", FLOATS),
    "clamp": ("torch.clamp({x}, -0.5, 0.75)", FLOATS),
    "clamp.integers": ("torch.clamp({x}, -3, 4)", INTEGERS),
    "clamp.Tensor": ("torch.clamp({x}, {y}, {y} + 1)", FLOATS),
    "clamp_min": ("torch.clamp_min({x}, 0.25)", FLOATS),
    "clamp_max": ("torch.clamp_max({x}, 0.25)", FLOATS),
    "where.self": ("torch.where({x} > {y}, {x}, {y} * 2)", NUMBERS),
    "where.ScalarOther": ("torch.where({x} > 0, {x}, 0.5)", FLOATS),
    "masked_fill": ("{x}.masked_fill({y} > 0, -2.0)", FLOATS),
    "lerp.Scalar": ("torch.lerp({x}, {y}, 0.3)", FLOATS),
    "lerp.Tensor": ("torch.lerp({x}, {y}, {p})", FLOATS),
    "addcmul": ("torch.addcmul({x}, {y}, {p}, value=0.5)", FLOATS),
    "addcdiv": ("torch.addcdiv({x}, {y}, {p}, value=0.5)", FLOATS),
    "threshold": ("F.threshold({x}, 0.1, -3.0)", FLOATS),
    "prelu": ("F.prelu({x}, {w})", FLOATS),
    "rrelu.eval": ("F.rrelu({x}, 0.1, 0.3, training=False)", FLOATS),
    "gelu.tanh": ("F.gelu({x}, approximate='tanh')", FLOATS),
    "softplus.beta": ("F.softplus({x}, beta=2.0, threshold=1.5)", FLOATS),
    "bitwise_not": ("torch.bitwise_not({x})", INTEGERS),
    "to.dtype": ("{x}.to(torch.float64)", FLOATS),
    "to.int64": ("({x} * 10).to(torch.int64)", ("float32", "float64")),
    "type_as": ("{x}.to(torch.int32).type_as({x})", FLOATS),
    "square.integers": ("torch.square({x})", INTEGERS),
    "abs.integers": ("torch.abs({x})", INTEGERS),
    "neg.integers": ("torch.neg({x})", INTEGERS),
    "sign.integers": ("torch.sign({x})", INTEGERS),
    "isclose": ("torch.isclose({x}, {y}, rtol=0.5, atol=0.1)", ("float32", "float64")),
    "round.decimals": ("torch.round({x}, decimals=2)", ("float32",)),
    "copysign.Scalar": ("torch.copysign({x}, -1.0)", FLOATS),
    "logical_and.integers": ("torch.logical_and({x}, {y})", INTEGERS),
    "angle": ("torch.angle({x})", ("float32",)),
    "clone": ("{x}.clone() + 1", FLOATS),
    "zeros_like": ("torch.zeros_like({x}) + {x}", FLOATS),
    "ones_like": ("torch.ones_like({x}) - {x}", FLOATS),
    "full_like": ("torch.full_like({x}, 1.5) * {x}", FLOATS),
}


def operands(rng: random.Random, index: int, mark: str) -> tuple[Operand, Operand]:
    """Two operands of one shape, or of shapes that broadcast; the last shape is seen through strides."""
    full = shape(rng, index + 1 + rng.randrange(2))
    other = tuple(1 if rng.random() < 0.3 else extent for extent in full) if index else full
    low, high = {"+": (0.4, 2.5), "i": (-3, 4), "s": (0, 5)}.get(mark, (None, None))
    return Operand(full, strided=index == 2), Operand(other, low=low, high=high, dtype="int64" if mark == "i" else None)


def unary(entry: str, dtypes: tuple[str, ...] = FLOATS) -> Operator:
    name, *bounds = entry.split(":")
    low, high = (float(bounds[0]), float(bounds[1])) if bounds else (None, None)
    call = f"torch.{name.replace('special_', 'special.')}(x)"

    def make(rng: random.Random, index: int) -> Case:
        return Case(call, {"x": Operand(shape(rng, index + 1), low=low, high=high, strided=index == 2)})

    return Operator(name, dtypes, make)


def functional(name: str) -> Operator:
    def make(rng: random.Random, index: int) -> Case:
        return Case(f"F.{name}(x)", {"x": Operand(shape(rng, index + 1), strided=index == 2)})

    return Operator(name, FLOATS, make)


def binary(entry: str, dtypes: tuple[str, ...], suffix: str = "") -> Operator:
    name, _, mark = entry.partition(":")
    call = f"torch.{name.replace('special_', 'special.')}(x, y)"

    def make(rng: random.Random, index: int) -> Case:
        x, y = operands(rng, index, mark)
        if dtypes == INTEGERS:
            x = Operand(x.shape, low=-9, high=10, strided=x.strided)
            y = Operand(y.shape, low={"+": 1, "s": 0}.get(mark, -9), high={"s": 5}.get(mark, 10))
        elif mark == "+" and name in ("pow", "float_power", "xlogy"):
            x = Operand(x.shape, low=0.3, high=2.5, strided=x.strided)
        return Case(call, {"x": x, "y": y})

    return Operator(name + suffix, dtypes, make)


def other(name: str, expression: str, dtypes: tuple[str, ...]) -> Operator:
    def make(rng: random.Random, index: int) -> Case:
        x, y = operands(rng, index, "")
        p = Operand(y.shape, low=0.4, high=2.5)
        if dtypes == INTEGERS:
            x, y = Operand(x.shape, low=-9, high=10, strided=x.strided), Operand(y.shape, low=-9, high=10)
        w = Operand((x.shape[1] if len(x.shape) > 1 else 1,), low=0.1, high=0.4)
        named = {"x": x, "y": y, "p": p, "w": w}
        return Case(
            expression.format(x="x", y="y", p="p", w="w"),
            {key: value for key, value in named.items() if "{" + key + "}" in expression},
        )

    return Operator(name, dtypes, make)


OPERATORS = (
    [unary(entry) for entry in UNARY]
    + [unary(entry, ("float32",)) for entry in FLOAT32_UNARY]
    + [functional(name) for name in FUNCTIONAL]
    + [binary(entry, FLOATS) for entry in BINARY]
    + [binary(entry, NUMBERS) for entry in COMPARISONS]
    + [binary(entry, INTEGERS, ".integers") for entry in INTEGER_BINARY]
    + [other(name, *form) for name, form in OTHERS.items()]
)

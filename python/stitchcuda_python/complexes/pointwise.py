# SPDX-License-Identifier: Apache-2.0
"""Complex numbers, element by element. A rule takes a writer, the call that it stands for and that call's arguments,
with pairs in the place of complex tensors."""

from __future__ import annotations

import cmath
from typing import Any

import torch

from .pair import REAL_DTYPES, Pair, Part, is_number, parts_of
from .writer import Writer

_aten = torch.ops.aten
_MOST_FACTORS = 16  # of a power that is multiplied out

Parts = tuple[Part, Part]


def _add(w: Writer, a: Any, b: Any, *, alpha: Any = 1) -> Parts:
    (ar, ai), (br, bi) = parts_of(a), times(w, parts_of(b), parts_of(alpha))
    return w.add(ar, br), w.add(ai, bi)


def _sub(w: Writer, a: Any, b: Any, *, alpha: Any = 1) -> Parts:
    (ar, ai), (br, bi) = parts_of(a), times(w, parts_of(b), parts_of(alpha))
    return w.sub(ar, br), w.sub(ai, bi)


def times(w: Writer, a: Parts, b: Parts) -> Parts:
    """a b."""
    (ar, ai), (br, bi) = a, b
    return w.sub(w.mul(ar, br), w.mul(ai, bi)), w.add(w.mul(ar, bi), w.mul(ai, br))


def over(w: Writer, a: Parts, b: Parts) -> Parts:
    """a / b. By the larger part of b, as PyTorch's own kernels divide: the square of b might overflow."""
    (ar, ai), (br, bi) = a, b
    if is_number(br) and is_number(bi):
        inverse = 1 / complex(br, bi)
        return times(w, a, (inverse.real, inverse.imag))
    if is_number(bi) and bi == 0:
        return w.div(ar, br), w.div(ai, br)
    if is_number(br) and br == 0:
        return w.div(ai, bi), w.neg(w.div(ar, bi))
    size = larger(w, br, bi)
    cr, ci = w.div(br, size), w.div(bi, size)
    norm = w.add(w.mul(br, cr), w.mul(bi, ci))
    return w.div(w.add(w.mul(ar, cr), w.mul(ai, ci)), norm), w.div(w.sub(w.mul(ai, cr), w.mul(ar, ci)), norm)


def larger(w: Writer, real: Part, imag: Part) -> Part:
    """The larger of the sizes of two parts, of which one is a tensor."""
    sizes = [abs(part) if is_number(part) else w.call(_aten.abs.default, part) for part in (real, imag)]
    if is_number(sizes[0]):
        sizes.reverse()
    if is_number(sizes[1]):
        return w.call(_aten.clamp_min.default, *sizes)
    return w.call(_aten.maximum.default, *sizes)


def size_of(w: Writer, real: Part, imag: Part) -> Part:
    """The absolute value."""
    if is_number(imag) and imag == 0:
        return abs(real) if is_number(real) else w.call(_aten.abs.default, real)
    if is_number(real):
        return size_of(w, imag, real) if real == 0 else _hypot(w, imag, real)
    return _hypot(w, real, imag)


def _hypot(w: Writer, a: Part, b: Part) -> Part:
    if is_number(b):
        b = w.call(_aten.full_like.default, a, b)
    return w.call(_aten.hypot.default, a, b)


def angle_of(w: Writer, real: Part, imag: Part, like: Pair) -> Part:
    """In radians, from -pi to pi."""
    tensors = [w.tensor(part, like.shape, like.dtype) for part in (imag, real)]
    return w.call(_aten.atan2.default, *tensors)


def _function(name: str) -> Any:
    """A function of real numbers, of numbers too."""
    operator = getattr(_aten, name).default
    plain = getattr(cmath, name)

    def apply(w: Writer, x: Part) -> Part:
        return plain(x).real if is_number(x) else w.call(operator, x)

    return apply


_exp_of, _log_of, _sin_of, _cos_of = (_function(name) for name in ("exp", "log", "sin", "cos"))
_sinh_of, _cosh_of = _function("sinh"), _function("cosh")


def polar(w: Writer, size: Part, angle: Part) -> Parts:
    """size e^(i angle)."""
    return w.mul(size, _cos_of(w, angle)), w.mul(size, _sin_of(w, angle))


def _exp(w: Writer, x: Any) -> Parts:
    real, imag = parts_of(x)
    return polar(w, _exp_of(w, real), imag)


def _log(w: Writer, x: Pair) -> Parts:
    return _log_of(w, size_of(w, x.real, x.imag)), angle_of(w, x.real, x.imag, x)


def _sqrt(w: Writer, x: Pair) -> Parts:
    """sqrt((|x| + re) / 2) and the same of -re with the sign of im: no cancellation in the larger of the two, and the
    other one follows from it."""
    real, imag = (w.tensor(part, x.shape, x.dtype) for part in (x.real, x.imag))
    sum_ = w.add(w.call(_aten.abs.default, real), size_of(w, real, imag))
    large = w.call(_aten.sqrt.default, w.mul(sum_, 0.5))
    safe = w.call(_aten.where.ScalarSelf, w.call(_aten.eq.Scalar, large, 0), 1.0, large)
    small = w.div(w.mul(w.call(_aten.abs.default, imag), 0.5), safe)
    is_right = w.call(_aten.ge.Scalar, real, 0)
    first, second = (w.call(_aten.where.self, is_right, *pair) for pair in ((large, small), (small, large)))
    return first, w.call(_aten.copysign.Tensor, second, imag)


def _sin(w: Writer, x: Pair) -> Parts:
    re, im = x.real, x.imag
    return w.mul(_sin_of(w, re), _cosh_of(w, im)), w.mul(_cos_of(w, re), _sinh_of(w, im))


def _cos(w: Writer, x: Pair) -> Parts:
    re, im = x.real, x.imag
    return w.mul(_cos_of(w, re), _cosh_of(w, im)), w.neg(w.mul(_sin_of(w, re), _sinh_of(w, im)))


def _pow(w: Writer, x: Pair, exponent: Any) -> Any:
    if exponent == 0.5:
        return _sqrt(w, x)
    if isinstance(exponent, complex) or exponent != int(exponent) or not 1 <= abs(exponent) <= _MOST_FACTORS:
        return NotImplemented
    parts, left, square = None, int(abs(exponent)), (x.real, x.imag)
    while left:
        if left & 1:
            parts = square if parts is None else times(w, parts, square)
        left >>= 1
        square = times(w, square, square) if left else square
    return over(w, (1.0, 0.0), parts) if exponent < 0 else parts


def _sgn(w: Writer, x: Pair) -> Parts:
    """x / |x|, and 0 of 0."""
    size = w.tensor(size_of(w, x.real, x.imag), x.shape, x.dtype)
    safe = w.call(_aten.where.ScalarSelf, w.call(_aten.eq.Scalar, size, 0), 1.0, size)
    return w.div(x.real, safe), w.div(x.imag, safe)


def _equal(w: Writer, a: Any, b: Any) -> Any:
    (ar, ai), (br, bi) = parts_of(a), parts_of(b)
    return w.call(_aten.logical_and.default, _same(w, ar, br), _same(w, ai, bi))


def _same(w: Writer, a: Part, b: Part) -> Any:
    if is_number(a):
        a, b = b, a
    if is_number(a):
        return w.call(_aten.full.default, [], a == b, dtype=torch.bool)
    return w.call(_aten.eq.Scalar if is_number(b) else _aten.eq.Tensor, a, b)


def _unequal(w: Writer, a: Any, b: Any) -> Any:
    return w.call(_aten.logical_not.default, _equal(w, a, b))


def _to_copy(w: Writer, x: Any, *, dtype: Any = None, **_how: Any) -> Any:
    """A complex number that becomes a real one loses its imaginary part."""
    real, imag = parts_of(x)
    if dtype is None or dtype in REAL_DTYPES:
        return real, imag
    if dtype == torch.bool:
        return NotImplemented
    return w.tensor(real, x.shape, dtype)


def _complex(w: Writer, real: Any, imag: Any) -> Parts:
    return parts_of(real)[0], parts_of(imag)[0]


def _view_as_complex(w: Writer, x: Any) -> Parts:
    return w.call(_aten.select.int, x, -1, 0), w.call(_aten.select.int, x, -1, 1)


def _addcmul(w: Writer, x: Any, a: Any, b: Any, *, value: Any = 1) -> Parts:
    product = times(w, times(w, parts_of(a), parts_of(b)), parts_of(value))
    return _add(w, x, Pair(*product, (), torch.float32))


def _shown(w: Writer, x: Pair) -> Any:
    return w.stacked(x.real, x.imag, x.shape, x.dtype)


def pointwise_rules() -> dict[str, Any]:
    """By the operator's name without its overload."""
    same = lambda w, x: parts_of(x)  # noqa: E731
    conjugate = lambda w, x: (x.real, w.neg(x.imag))  # noqa: E731
    conjugates = dict.fromkeys(("_conj", "conj", "_conj_physical", "conj_physical"), conjugate)
    return conjugates | {
        "add": _add,
        "sub": _sub,
        "rsub": lambda w, a, b, alpha=1: _sub(w, b, a, alpha=alpha),
        "mul": lambda w, a, b: times(w, parts_of(a), parts_of(b)),
        "div": lambda w, a, b: over(w, parts_of(a), parts_of(b)),
        "true_divide": lambda w, a, b: over(w, parts_of(a), parts_of(b)),
        "reciprocal": lambda w, x: over(w, (1.0, 0.0), parts_of(x)),
        "square": lambda w, x: times(w, parts_of(x), parts_of(x)),
        "addcmul": _addcmul,
        "neg": lambda w, x: (w.neg(x.real), w.neg(x.imag)),
        "_neg_view": lambda w, x: w.neg(x),
        "resolve_conj": same,
        "resolve_neg": same,
        "positive": same,
        "real": lambda w, x: w.tensor(x.real, x.shape, x.dtype),
        "imag": lambda w, x: w.tensor(x.imag, x.shape, x.dtype),
        "abs": lambda w, x: w.tensor(size_of(w, x.real, x.imag), x.shape, x.dtype),
        "angle": lambda w, x: angle_of(w, x.real, x.imag, x),
        "exp": _exp,
        "log": _log,
        "sqrt": _sqrt,
        "sin": _sin,
        "cos": _cos,
        "pow": _pow,
        "sgn": _sgn,
        "eq": _equal,
        "ne": _unequal,
        "complex": _complex,
        "polar": lambda w, size, angle: polar(w, size, angle),
        "view_as_complex": _view_as_complex,
        "view_as_real": _shown,
        "_to_copy": _to_copy,
    }

# SPDX-License-Identifier: Apache-2.0
"""Factors of square matrices, and what is solved with them. Matrices that PyTorch would refuse are kept away: products
with their own transpose have something added to the diagonal, triangles have a diagonal of positive numbers."""

from .case import Operand, Operator, forms

DTYPES = ("float32", "float64")
NAMED = {
    "x": Operand((3, 9, 9), strided=True),
    "r": Operand((3, 9, 4)),
    "q": Operand((9, 4), strided=True),
    "v": Operand((3, 9)),
    "t": Operand((9, 9), low=0.5, high=1.5),
    "m": Operand((2, 1, 36, 36)),
}
POSITIVE = "(x @ x.mT + torch.eye(9, dtype=x.dtype))"
LARGER = "(m @ m.mT + torch.eye(36, dtype=m.dtype))"
REGULAR = "(x.tanh() + 12 * torch.eye(9, dtype=x.dtype))"


def factors(name: str, *expressions: str) -> Operator:
    filled = [text.format(positive=POSITIVE, larger=LARGER, regular=REGULAR) for text in expressions]
    return forms(name, filled, DTYPES, **NAMED)


OPERATORS = [
    factors(
        "linalg_cholesky.forms",
        "torch.linalg.cholesky({positive})",
        "torch.linalg.cholesky({positive}, upper=True) * 2",
        "torch.linalg.cholesky({larger})",
    ),
    factors("linalg_cholesky_ex", "torch.linalg.cholesky_ex({positive}).L", "torch.cholesky({positive}, upper=True)"),
    factors(
        "linalg_solve_triangular.forms",
        "torch.linalg.solve_triangular(t.triu(), q, upper=True)",
        "torch.linalg.solve_triangular(t, r.mT, upper=False, left=False) + 1",
        "torch.linalg.solve_triangular(t / 9, r, upper=True, unitriangular=True)",
    ),
    factors(
        "triangular_solve",
        "torch.triangular_solve(q, t)[0]",
        "torch.triangular_solve(r, t, upper=False, transpose=True)[0]",
        "torch.triangular_solve(r, t / 9, unitriangular=True)[0]",
    ),
    factors("cholesky_solve", "torch.cholesky_solve(r, t.tril())", "torch.cholesky_solve(q, t, upper=True)"),
    factors("cholesky_inverse", "torch.cholesky_inverse(t.tril())", "torch.cholesky_inverse(t, upper=True)"),
    factors(
        "linalg_solve.forms",
        "torch.linalg.solve({regular}, v)",
        "torch.linalg.solve({regular}, r.mT, left=False)",
        "torch.linalg.solve({regular}[0], r)",
    ),
    factors("linalg_solve.larger", "torch.linalg.solve({larger}, m[0])"),
    factors("linalg_inv.forms", "torch.linalg.inv({regular})", "torch.inverse({regular}[0])", "{positive}.inverse()"),
    factors("linalg_det.forms", "torch.linalg.det(x)", "torch.det(x[0])", "x.tril().det()"),
    factors(
        "linalg_slogdet.forms",
        "torch.linalg.slogdet({positive})[1]",
        "torch.slogdet({regular})[0]",
        "torch.slogdet({larger}).logabsdet",
    ),
    factors("logdet", "torch.logdet({positive})", "{larger}.logdet()"),
    factors(
        "linalg_lu.forms",
        "torch.linalg.lu({regular})[1]",
        "torch.linalg.lu({regular}).U",
        "torch.linalg.lu({regular})[0]",
    ),
]

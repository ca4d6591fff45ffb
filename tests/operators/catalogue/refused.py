# SPDX-License-Identifier: Apache-2.0
"""Operators few programs need: each must be refused by name, or be right."""

import random

from .case import Case, Operand, Operator


def square(name: str, expression: str) -> Operator:
    def make(rng: random.Random, _: int) -> Case:
        side = rng.randint(4, 9)
        return Case(expression, {"x": Operand((side, side))})

    return Operator(name, ("float32",), make)


OPERATORS = [
    square("linalg_svd", "torch.linalg.svdvals(x)"),
    square("linalg_inv", "torch.linalg.inv(x @ x.t() + torch.eye(x.shape[0]))"),
    square("linalg_cholesky", "torch.linalg.cholesky(x @ x.t() + torch.eye(x.shape[0]))"),
    square("linalg_det", "torch.linalg.det(x)"),
    square("linalg_qr", "torch.linalg.qr(x)[1].abs()"),
    square("linalg_eigvalsh", "torch.linalg.eigvalsh(x + x.t())"),
    square("linalg_solve", "torch.linalg.solve(x @ x.t() + torch.eye(x.shape[0]), x)"),
    square("linalg_matrix_exp", "torch.linalg.matrix_exp(x * 0.1)"),
    square("linalg_matrix_power", "torch.linalg.matrix_power(x, 3)"),
    square("trace", "torch.trace(x)"),
    square("polygamma", "torch.polygamma(2, x.abs() + 1)"),
    square("igamma", "torch.special.gammainc(x.abs() + 1, x.abs() + 0.5)"),
    square("histc", "torch.histc(x, 5, -2, 2)"),
    square(
        "ctc_loss",
        "F.ctc_loss(torch.log_softmax(x[:, None], 2), torch.ones(1, 2).long(), (x.shape[0],), (2,))",
    ),
    square("cov", "torch.cov(x)"),
    square("corrcoef", "torch.corrcoef(x)"),
    square("tensor_split", "torch.tensor_split(x, 3)[1] * 2"),
    square("block_diag", "torch.block_diag(x, x)"),
    square("vander", "torch.vander(x[0])"),
    square("renorm", "torch.renorm(x, 2, 0, 1.0)"),
    square("unfold_fold", "F.fold(F.unfold(x[None, None], 2), x.shape, 2)"),
    square("pdist", "F.pdist(x)"),
]

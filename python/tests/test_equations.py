# SPDX-License-Identifier: Apache-2.0
"""Systems of equations, inverses and determinants mean what PyTorch's mean."""

from __future__ import annotations

import itertools
import unittest
import warnings

import torch

from stitchcuda_python.graph.equations import equation_decompositions

from .support import ServerCase, model

ATEN = torch.ops.aten
MADE = equation_decompositions()
INPUTS = "def get_inputs():\n    return [torch.randn(3, 4, 4)]\ndef get_init_inputs():\n    return []\n"
STEADY = {"aten.linalg_cholesky.default", "aten.linalg_lu.default", "aten.linalg_solve_triangular.default"}
FORMS = [
    "return torch.linalg.solve(x, x[..., 0])",
    "return torch.linalg.inv(x)",
    "return x.inverse()",
    "return torch.linalg.det(x)",
    "return x.det()",
    "return torch.linalg.slogdet(x)",
    "return torch.slogdet(x)",
    "return torch.logdet(x)",
    "return torch.cholesky_solve(x, torch.linalg.cholesky(x @ x.mT + torch.eye(4)))",
    "return torch.cholesky_inverse(x)",
    "return torch.triangular_solve(x, x)[0]",
]


def regular(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.float64) + 3 * torch.eye(shape[-1], dtype=torch.float64)


class Decompositions(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(1)

    def check(self, operator: object, *args: object, **kwargs: object) -> None:
        with self.subTest(str(operator), shapes=[getattr(arg, "shape", arg) for arg in args], **kwargs):
            torch.testing.assert_close(
                MADE[operator](*args, **kwargs), operator(*args, **kwargs), equal_nan=True, check_stride=False
            )

    def test_one_matrix_and_many(self) -> None:
        operators = (ATEN.linalg_inv, ATEN.inverse, ATEN.linalg_det, ATEN.det, ATEN.linalg_slogdet, ATEN.slogdet,
                     ATEN.logdet)  # fmt: skip
        for a in (regular(1, 1), regular(6, 6), torch.randn(2, 3, 7, 7, dtype=torch.float64)):
            for operator in operators:
                self.check(operator.default, a)

    def test_a_singular_matrix_has_no_determinant(self) -> None:
        a = torch.tensor([[1.0, 2.0], [2.0, 4.0]])
        self.check(ATEN.linalg_det.default, a)
        self.check(ATEN.linalg_slogdet.default, a)
        self.check(ATEN.logdet.default, a)

    def test_right_hand_sides_of_every_form(self) -> None:
        solve = ATEN.linalg_solve.default
        for a, b in (((6, 6), (6,)), ((6, 6), (6, 2)), ((3, 6, 6), (3, 6)), ((3, 6, 6), (6, 2)), ((6, 6), (3, 6, 2)),
                     ((2, 1, 6, 6), (3, 6, 4))):  # fmt: skip
            self.check(solve, regular(*a), torch.randn(b, dtype=torch.float64))
        self.check(solve, regular(3, 6, 6), torch.randn(3, 2, 6, dtype=torch.float64), left=False)

    def test_triangles(self) -> None:
        b = torch.randn(3, 6, 2, dtype=torch.float64)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # triangular_solve is deprecated
            for upper, transpose, unitriangular in itertools.product((False, True), repeat=3):
                self.check(ATEN.triangular_solve.default, b, regular(3, 6, 6), upper, transpose, unitriangular)
        a = regular(3, 6, 6)
        for upper in (False, True):
            factor = torch.linalg.cholesky(a @ a.mT, upper=upper)
            self.check(ATEN.cholesky_solve.default, b, factor, upper)
            self.check(ATEN.cholesky_inverse.default, factor, upper)


class Programs(ServerCase):
    def test_what_is_left_are_factors_and_triangles(self) -> None:
        for number, body in enumerate(FORMS):
            with self.subTest(body):
                graph = self.ok("import", file=self.file(model(body, inputs=INPUTS), f"equations_{number}.py"))
                targets = {node["target"] for node in graph["nodes"]}
                left = {target for target in targets if "linalg" in target or "solve" in target or "det" in target}
                self.assertTrue(left)
                self.assertLessEqual(left, STEADY)


if __name__ == "__main__":
    unittest.main()

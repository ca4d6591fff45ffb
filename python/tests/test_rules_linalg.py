# SPDX-License-Identifier: Apache-2.0
"""How factors and systems of equations are disturbed, and draws whose matrices are at the edge."""

from __future__ import annotations

import unittest

import torch

from stitchcuda_python.oracle.arithmetic import Arithmetic
from stitchcuda_python.oracle.rules import RULES

from .support import ServerCase, model

ATEN = torch.ops.aten
AT_THE_EDGE = "return torch.linalg.cholesky(torch.tensor([[1.0, 1.0], [1.0, 1.0 + 2.0**-22]]) + 0 * x[:2, :2])"
FAR_FROM_IT = "return torch.linalg.cholesky(torch.tensor([[1.0, 0.9], [0.9, 1.0]]) + 0 * x[:2, :2])"


class Rules(unittest.TestCase):
    def test_what_is_disturbed_moves_by_rounding_alone(self) -> None:
        torch.manual_seed(2)
        a = torch.randn(5, 9, 9)
        positive = a @ a.mT + torch.eye(9)
        calls = [
            (ATEN.linalg_cholesky.default, (positive,), {}),
            (ATEN.linalg_cholesky.default, (positive,), {"upper": True}),
            (ATEN.cholesky.default, (positive, True), {}),
            (ATEN.linalg_cholesky_ex.default, (positive,), {}),
            (ATEN.linalg_lu.default, (a + 12 * torch.eye(9),), {}),
            (ATEN.linalg_solve_triangular.default, (a.tril() + 9 * torch.eye(9), a[..., :2]), {"upper": False}),
        ]
        for operator, args, kwargs in calls:
            rule = RULES[operator.name().partition("::")[2].partition(".")[0]]
            with self.subTest(str(operator), **kwargs):
                wanted = operator(*args, **kwargs)
                for seed, moves in ((None, False), (3, True)):
                    source = None if seed is None else torch.Generator().manual_seed(seed)
                    made = rule(Arithmetic(source, None), *args, **kwargs)
                    torch.testing.assert_close(made, wanted, rtol=1e-4, atol=1e-5)
                    pairs = zip((made,), (wanted,)) if isinstance(made, torch.Tensor) else zip(made, wanted)
                    self.assertEqual(any(not torch.equal(*pair) for pair in pairs), moves)

    def test_a_factor_that_rounding_may_end_is_refused(self) -> None:
        nearly = torch.tensor([[1.0, 1.0], [1.0, 1.0 + 2.0**-22]])
        torch.linalg.cholesky(nearly)
        with self.assertRaises(torch.linalg.LinAlgError):
            RULES["linalg_cholesky"](Arithmetic(torch.Generator().manual_seed(1), None), nearly)


class Draws(ServerCase):
    def test_where_rounding_may_end_a_factor_the_regime_is_left_out(self) -> None:
        refused = "with other rounding it is refused"
        for name, body, reason in (("edge", AT_THE_EDGE, refused), ("far", FAR_FROM_IT, "")):
            opened = self.open(self.file(model(body), f"{name}.py"))
            for regime in ("as_given", "near_equal"):
                with self.subTest(f"{name} {regime}"):
                    dropped = self.ok("oracle.draw", oracle=opened["oracle"], regime=regime, draw=0)["dropped"]
                    self.assertIn(reason, dropped or "")
                    self.assertEqual(dropped is None, reason == "")


if __name__ == "__main__":
    unittest.main()

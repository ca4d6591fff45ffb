# SPDX-License-Identifier: Apache-2.0
"""Operators that we take apart ourselves while exporting mean what PyTorch's mean."""

from __future__ import annotations

import itertools
import math
import unittest

import torch
import torch.nn.functional as F

from stitchcuda_python.graph.antialiased import antialiased_decompositions
from stitchcuda_python.graph.losses import loss_decompositions
from stitchcuda_python.graph.numbers import number_decompositions
from stitchcuda_python.graph.orders import order_decompositions
from stitchcuda_python.graph.quantiles import quantile_decompositions
from stitchcuda_python.graph.reductions import reduction_decompositions
from stitchcuda_python.graph.sampling import sampling_decompositions
from stitchcuda_python.graph.windows import window_decompositions

ATEN = torch.ops.aten
MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


class Sampling(unittest.TestCase):
    def test_grid_sample_in_every_form(self) -> None:
        made = sampling_decompositions()[ATEN.grid_sampler.default]
        for extents in ((5, 7), (1, 4), (6, 1), (3, 4, 5)):
            x = torch.randn(2, 3, *extents, dtype=torch.float64)
            grid = torch.randn(2, *[4] * len(extents), len(extents), dtype=torch.float64) * 1.7
            for mode, padding, aligned in itertools.product(MODES, PADDINGS, (False, True)):
                if mode == "bicubic" and len(extents) == 3:
                    continue
                with self.subTest(f"{extents} {mode} {padding} {aligned}"):
                    wanted = F.grid_sample(x, grid, mode=mode, padding_mode=padding, align_corners=aligned)
                    got = made(x, grid, MODES.index(mode), PADDINGS.index(padding), aligned)
                    torch.testing.assert_close(got, wanted)

    def test_affine_grid(self) -> None:
        made = sampling_decompositions()[ATEN.affine_grid_generator.default]
        for size, aligned in itertools.product(([2, 3, 4, 5], [2, 3, 1, 5], [2, 1, 3, 4, 5]), (False, True)):
            theta = torch.randn(2, len(size) - 2, len(size) - 1, dtype=torch.float64)
            with self.subTest(f"{size} {aligned}"):
                wanted = F.affine_grid(theta, size, align_corners=aligned)
                torch.testing.assert_close(made(theta, size, aligned), wanted)


class Antialiased(unittest.TestCase):
    OPERATORS = {"bilinear": ATEN._upsample_bilinear2d_aa.vec, "bicubic": ATEN._upsample_bicubic2d_aa.vec}

    def test_every_size_and_factor(self) -> None:
        sizes: list[tuple] = [((4, 5), None), ((8, 10), None), ((8, 1), None), ((1, 33), None)]
        sizes += [(None, [1.5, 0.3]), (None, [0.5, 2.0])]
        for (mode, operator), (size, factors) in itertools.product(self.OPERATORS.items(), sizes):
            x = torch.randn(2, 3, 8, 10, dtype=torch.float64)
            with self.subTest(f"{mode} {size} {factors}"):
                got = antialiased_decompositions()[operator](x, size, False, factors)
                torch.testing.assert_close(got, operator(x, size, False, factors))

    def test_values_outside_of_a_window_have_no_say(self) -> None:
        for mode, operator in self.OPERATORS.items():
            x = torch.randn(1, 1, 12, 12)
            x[0, 0, 2, 3], x[0, 0, 9, 8] = float("inf"), float("nan")
            for size in ([5, 5], [31, 29]):
                with self.subTest(f"{mode} {size}"):
                    got = antialiased_decompositions()[operator](x, size, False, None)
                    torch.testing.assert_close(got, operator(x, size, False, None), equal_nan=True)

    def test_aligned_corners_and_columns_stay_whole(self) -> None:
        for operator in self.OPERATORS.values():
            made = antialiased_decompositions()[operator]
            self.assertIs(made(torch.randn(1, 1, 4, 4), [2, 2], True, None), NotImplemented)
            self.assertIs(made(torch.randn(1, 1, 4, 4), [2, 1], False, None), NotImplemented)


class Quantiles(unittest.TestCase):
    WAYS = ("linear", "lower", "higher", "midpoint", "nearest")

    def test_every_form(self) -> None:
        x = torch.randn(3, 7, 4)
        x[0, 2, 1] = x[:, :, 3] = float("nan")
        places = (torch.tensor([0.0, 0.3, 1.0]), torch.tensor([0.5]), torch.tensor(0.71), 0.71)
        choices = itertools.product((None, 0, 1, -1), (False, True), places, self.WAYS)
        for dim, keepdim, q, way in choices:
            how = {"dim": dim, "keepdim": keepdim, "interpolation": way}
            for function, name in ((torch.quantile, "quantile"), (torch.nanquantile, "nanquantile")):
                overload = "default" if isinstance(q, torch.Tensor) else "scalar"
                made = quantile_decompositions().get(getattr(getattr(ATEN, name), overload))
                if made is not None:
                    with self.subTest(f"{name} {q} {how}"):
                        wanted = function(x, q, **how)
                        torch.testing.assert_close(made(x, q, **how), wanted, equal_nan=True, rtol=0, atol=1e-6)

    def test_infinities_equal_ones_and_scalars(self) -> None:
        made, q = quantile_decompositions()[ATEN.quantile.default], torch.tensor([0.25, 0.5])
        infinite = torch.tensor([[1.0, float("inf"), -float("inf"), 2.0], [3.0, 3.0, 3.0, 3.0]])
        for x in (infinite, torch.tensor(2.0)):
            torch.testing.assert_close(made(x, q, -1), torch.quantile(x, q, -1), equal_nan=True)


class Windows(unittest.TestCase):
    def test_fold_sums_windows_that_overlap(self) -> None:
        made = window_decompositions()[ATEN.col2im.default]
        kernels, strides = ((3, 2), (4, 3), (1, 5)), ((1, 1), (2, 3), (3, 1))
        choices = itertools.product(kernels, ((1, 1), (2, 1)), ((0, 0), (1, 3)), strides)
        for kernel, dilation, padding, stride in choices:
            how = {"dilation": dilation, "padding": padding, "stride": stride}
            columns = F.unfold(torch.randn(2, 3, 9, 12, dtype=torch.float64), kernel, **how)
            columns = torch.randn_like(columns)
            for x in (columns, columns[0]):
                with self.subTest(f"{kernel} {how} {x.dim()}"):
                    got = made(x, (9, 12), kernel, dilation, padding, stride)
                    if got is not NotImplemented:
                        torch.testing.assert_close(got, F.fold(x, (9, 12), kernel, **how))


class SingleNumbers(unittest.TestCase):
    def test_mvlgamma(self) -> None:
        made = number_decompositions()[ATEN.mvlgamma.default]
        wide = torch.rand(5, 3, dtype=torch.float64) * 9 + 1.5
        for x in (wide, torch.tensor([3, 40]), torch.tensor([1.0, math.inf])):
            for p in (1, 2, 4):
                with self.subTest(f"{x.dtype} {p}"):
                    torch.testing.assert_close(made(x, p), torch.mvlgamma(x, p))

    def test_lcm_and_angle(self) -> None:
        table = number_decompositions()
        a, b = torch.randint(-9, 10, (200,)), torch.randint(-9, 10, (200,))
        self.assertTrue(torch.equal(table[ATEN.lcm.default](a, b), torch.lcm(a, b)))
        x = torch.tensor([1.5, -2.0, 0.0, -0.0, float("nan"), float("inf"), -float("inf")])
        for given in (x, x.bfloat16(), a):
            got, wanted = table[ATEN.angle.default](given), torch.angle(given)
            torch.testing.assert_close(got, wanted, equal_nan=True)


class Losses(unittest.TestCase):
    def test_labels_of_a_margin_loss_end_before_the_first_that_is_none(self) -> None:
        operator = ATEN.multilabel_margin_loss_forward.default
        described = loss_decompositions()[operator]
        for shape, lowest, reduction in itertools.product(((23, 11), (1, 4), (7,)), (-1, 0), (0, 1, 2)):
            x, target = torch.randn(shape), torch.randint(lowest, shape[-1], shape)
            torch.testing.assert_close(described(x, target, reduction), operator(x, target, reduction))


class Orders(unittest.TestCase):
    def test_mode_is_the_smallest_of_the_most_frequent(self) -> None:
        made = order_decompositions()[ATEN.mode.default]
        for dtype, dim, keepdim in itertools.product((torch.int64, torch.float32), (0, 1, -1), (False, True)):
            x = torch.randint(0, 4, (5, 9, 7)).to(dtype)
            values, indices = made(x, dim, keepdim)
            self.assertTrue(torch.equal(values, torch.mode(x, dim, keepdim)[0]))
            places = indices if keepdim else indices.unsqueeze(dim)
            self.assertTrue(torch.equal(x.gather(dim, places), values if keepdim else values.unsqueeze(dim)))

    def test_nanmedian_passes_over_nan(self) -> None:
        table = order_decompositions()
        x = torch.randn(4, 6, 5)
        x[torch.rand(x.shape) < 0.3] = float("nan")
        x[0, :, 0] = float("nan")
        for dim in (0, 1, -1):
            got = table[ATEN.nanmedian.dim](x, dim, True)[0]
            torch.testing.assert_close(got, torch.nanmedian(x, dim, True)[0], equal_nan=True)
        torch.testing.assert_close(table[ATEN.nanmedian.default](x), torch.nanmedian(x), equal_nan=True)

    def test_masked_scatter_takes_the_source_in_order(self) -> None:
        made = order_decompositions()[ATEN.masked_scatter.default]
        x, mask, source = torch.randn(4, 6, 5), torch.rand(6, 5) < 0.4, torch.randn(200)
        self.assertTrue(torch.equal(made(x, mask, source), x.masked_scatter(mask, source)))
        self.assertIs(made(x, mask, torch.empty(0)), NotImplemented)


class Reductions(unittest.TestCase):
    def test_histograms_with_edges_and_without(self) -> None:
        made = reduction_decompositions()[ATEN.histc.default]
        given = (torch.rand(40, 5), torch.arange(-7.0, 12.0), torch.full((6,), 3.0), torch.tensor([1.0, float("nan")]))
        edges, dtypes = ((0, 1), (0.1, 0.7), (-3, 9)), (torch.float32, torch.float64)
        for x, (low, high), dtype, bins in itertools.product(given, edges, dtypes, (1, 10, 7)):
            wanted = torch.histc(x.to(dtype), bins, low, high)
            self.assertTrue(torch.equal(made(x.to(dtype), bins, low, high), wanted), (x.shape, bins, low, high))
        for x, (bins, edge) in itertools.product(given[:3], ((1, 0), (10, 0), (7, 5))):
            self.assertTrue(torch.equal(made(x, bins, edge, edge), torch.histc(x, bins, edge, edge)), (x.shape, bins))

    def test_norm_along_all_axes_but_one(self) -> None:
        made, v = reduction_decompositions()[ATEN.norm_except_dim.default], torch.randn(3, 4, 5)
        for dim in (-1, 0, 1, 2):
            torch.testing.assert_close(made(v, 2, dim), torch.norm_except_dim(v, 2, dim))
        self.assertTrue(torch.equal(made(v[0, 0], 2, 0), torch.norm_except_dim(v[0, 0], 2, 0)))

    def test_weight_norm_of_a_vector_and_of_more(self) -> None:
        made = reduction_decompositions()[ATEN._weight_norm_interface.default]
        for v, dim, dtype in itertools.product((torch.randn(5), torch.randn(5, 4, 5)), (0, -1), (None, torch.bfloat16)):
            v = v.to(dtype or torch.float32)
            dim %= v.dim()
            g = torch.randn(torch.norm_except_dim(v, 2, dim).shape, dtype=v.dtype)
            got, wanted = made(v, g, dim)[0], torch._weight_norm(v, g, dim)
            torch.testing.assert_close(got, wanted)


if __name__ == "__main__":
    unittest.main()

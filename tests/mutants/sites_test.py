# SPDX-License-Identifier: Apache-2.0
"""What is a site, and what is not. Run: python3 -m unittest discover -s tests/mutants -p '*_test.py'"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sites import KINDS, find_sites  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]

STEP = """\
// norm, step 0: bn
//
#include "kernels/gemm/ffma.cuh"

struct Epilogue {
  const float* fc_bias;
  template <int kLanes>
  __device__ void lanes(int64_t row, int64_t column, const Lanes<float, kLanes>& accumulators) const {
    const auto fc_bias_lanes = stitch::load_float_lanes<kLanes>(fc_bias + column);
    const float y = accumulators[lane] + fc_bias_lanes[lane];
  }
  __device__ void operator()(int64_t row, int64_t column, float accumulator) const {
    const float y = accumulator + fc_bias_value;
    out[row * out_row_stride + column] = y;  // out[row * stride + 1]
    const float bn_running_mean_kept = bn_running_mean_value * 0.9f;
    const float bn_running_mean_1 = bn_running_mean_kept + bn_running_mean_added;
    float sums[4];
    sum += value;
    for (int64_t part = 0; part < rows; part += kStep) {
      __syncthreads();
    }
    if (row < shape.m && column < shape.n) {
    }
  }
};
"""


class SitesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.sites = find_sites("steps/00_bn.cu", STEP)

    def of_kind(self, kind: str) -> list[str]:
        return [site.after for site in self.sites if site.kind == kind]

    def test_every_kind_has_a_site(self) -> None:
        self.assertEqual({site.kind for site in self.sites}, set(KINDS))

    def test_a_bias_is_dropped_for_vectors_and_scalars_at_once(self) -> None:
        (site,) = [site for site in self.sites if site.kind == "bias"]
        changed = site.apply(STEP)
        self.assertIn("const float y = accumulators[lane];", changed)
        self.assertIn("const float y = accumulator;", changed)

    def test_a_stale_statistic_keeps_the_old_value(self) -> None:
        self.assertEqual(self.of_kind("statistic"), ["const float bn_running_mean_1 = bn_running_mean_value;"])

    def test_strides_swap_with_their_coordinates(self) -> None:
        self.assertIn("out[column * out_row_stride + row] = y; // out[row * stride + 1]", self.of_kind("stride"))

    def test_guards_are_opened_but_loops_are_not(self) -> None:
        self.assertEqual(self.of_kind("guard"), ["if (true && column < shape.n) {", "if (row < shape.m && true) {"])

    def test_declarations_comments_and_loop_counters_are_no_sites(self) -> None:
        self.assertFalse([text for text in self.of_kind("index") if text.startswith("float sums[")])
        self.assertEqual(self.of_kind("accumulator"), ["sum = __half2float(__float2half(sum + (value)));"])

    def test_no_line_moves(self) -> None:
        for site in self.sites:
            self.assertEqual(site.apply(STEP).count("\n"), STEP.count("\n"), site)

    def test_the_kernels_of_the_runtime_have_sites(self) -> None:
        kinds = set()
        for path in (ROOT / "runtime" / "kernels").rglob("*.cuh"):
            kinds |= {site.kind for site in find_sites(path.name, path.read_text())}
        self.assertLessEqual({"index", "barrier", "stride", "guard", "accumulator"}, kinds)


if __name__ == "__main__":
    unittest.main()

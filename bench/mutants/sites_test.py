# SPDX-License-Identifier: Apache-2.0
"""What is a site, and what is not."""
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from families import FAMILIES, draw, families_of  # noqa: E402
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
    const auto blocks = ceil_divide(rows, kThreads);
    load(tiles + (current ^ 1) * kTile);
    float largest = 0.0f;
    const float fetched = column < columns ? x[column] : 0.0f;
    const float share = value / total;
    const bool first = share < largest;
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
        guards = [text for text in self.of_kind("guard") if text.startswith("if")]
        self.assertEqual(guards, ["if (true && column < shape.n) {", "if (row < shape.m && true) {"])

    def test_the_last_blocks_are_forgotten(self) -> None:
        self.assertEqual(self.of_kind("grid"), ["const auto blocks = ((rows) / (kThreads));"])

    def test_the_buffer_of_the_step_before_is_taken(self) -> None:
        self.assertEqual(self.of_kind("stale"), ["load(tiles + (current) * kTile);"])

    def test_values_to_begin_with_and_to_fill_with_are_wrong(self) -> None:
        self.assertEqual(self.of_kind("initial"), ["float largest = 1.0f;"])
        self.assertEqual(self.of_kind("fill"), ["const float fetched = column < columns ? x[column] : 1.0f;"])

    def test_sums_forget_and_loops_begin_late(self) -> None:
        self.assertEqual(self.of_kind("overwrite"), ["sum = value;"])
        self.assertEqual(self.of_kind("skip"), ["for (int64_t part = (0) + (kStep); part < rows; part += kStep) {"])

    def test_a_trap_stands_before_the_whole_statement(self) -> None:
        code = "Split of(long at) {\n  if (fits) {\n    return {fast(at), 0};\n  }\n  return {at / by, {at % by}};\n}\n"
        (site,) = [site for site in find_sites("x.cuh", code) if site.kind == "operands"]
        self.assertIn("  } __trap();\n  return {at / by", site.trapped(code))

    def test_operands_and_comparisons_turn_round(self) -> None:
        self.assertEqual(self.of_kind("operands"), ["const float share = total / value;"])
        self.assertIn("const bool first = share > largest;", self.of_kind("comparison"))

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
        self.assertEqual(set(KINDS) - kinds, {"statistic"})  # that is a mistake of steps


class FamiliesTest(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        shutil.copytree(ROOT / "runtime" / "kernels", self.folder / "runtime" / "kernels")
        (self.folder / "steps").mkdir()
        (self.folder / "steps" / "00_y.cu").write_text(
            '#include "kernels/scan/row.cuh"\n\n'
            "cudaError_t step() { return stitch::launch_scan_rows<State, kThreads>(load, store, shape, stream); }\n"
        )

    def test_a_family_is_what_a_step_launches_with_the_kernels_it_includes(self) -> None:
        found = families_of(self.folder)
        self.assertEqual(list(found), ["scan"])
        steps, own, below = found["scan"]
        self.assertEqual(steps, {"steps/00_y.cu"})
        self.assertEqual(own, {"runtime/kernels/scan/row.cuh", "runtime/kernels/scan/states.cuh"})
        self.assertIn("runtime/kernels/reduce/accumulators.cuh", below)
        self.assertNotIn("runtime/kernels/common/math.cuh", below)

    def test_the_order_follows_the_seed_and_goes_round_the_kinds(self) -> None:
        once = draw([self.folder], 1)
        self.assertEqual(once, draw([self.folder], 1))
        self.assertNotEqual(once, draw([self.folder], 2))
        kinds = {site.kind for _, site in once["scan"]}
        self.assertEqual(len({site.kind for _, site in once["scan"][: len(kinds)]}), len(kinds))

    def test_every_skeleton_belongs_to_a_family(self) -> None:
        skeletons = set()
        for path in (ROOT / "runtime" / "kernels").rglob("*.cuh"):
            details = r"^namespace \w+_detail \{.*?^\}  // namespace \w+_detail$"
            text = re.sub(details, "", path.read_text(), flags=re.S | re.M)
            scope = "double_precision::" if "namespace stitch::double_precision" in text else ""
            skeletons |= {scope + name for name in re.findall(r"^cudaError_t (launch_\w+)\(", text, re.M)}
        self.assertGreater(len(skeletons), 25)
        for name in sorted(skeletons):
            # cuBLASLt and cuDNN do the work; what turns for cuDNN; a part of products; what attention is launched by
            if not re.search("library|channels_last|channels_first|join_splits|^launch_attention$", name):
                self.assertTrue(any(re.search(pattern, f"{name}<") for pattern in FAMILIES.values()), name)


if __name__ == "__main__":
    unittest.main()

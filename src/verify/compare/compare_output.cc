// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/compare_output.h"

#include <algorithm>

#include "base/error/check.h"
#include "verify/compare/condition.h"
#include "verify/compare/constants.h"
#include "verify/compare/exact_rule.h"
#include "verify/compare/judge_tiles.h"
#include "verify/compare/position_rule.h"

namespace stitch::verify {
namespace {

double ratio_to(double error, double magnitude) { return magnitude > 0 ? error / magnitude : 0; }

// What the budget of fp32 refuses, or accepts by little, may be what the baseline rounds. The error told is then a
// multiple of that arithmetic's own: a mean over many pixels in TF32 is a few times what fp32 makes of it.
void judge_as_rounded(const OutputReference& reference, const TileVerdicts& all, const SmallOutputErrors& errors,
                      OutputComparison& result) {
  if (all.tf32.refusal() || (!result.refusal && result.statistics.max_ratio <= kCertain)) {
    return;
  }
  // Whether 1e-4 holds, and how far all elements together are from the baseline, only the whole output says.
  result.hangs_on_others = result.refusal.has_value();
  const bool is_near =
      all.statistics.kernelbench_rule_ok || reference.rounds_openly || all.nearness.holds(errors.apart_tf32);
  if (result.refusal || is_near) {
    result.statistics.max_ratio = std::min(result.statistics.max_ratio, all.tf32.max_ratio());
  }
  if (is_near) {
    result.refusal = std::nullopt;
  } else if (result.refusal) {
    result.distance = all.nearness.distance();
  }
}

OutputComparison compare_floats(const OutputReference& reference, const HostTensor& got, MathMode mode,
                                const SmallOutputErrors& errors, Asked asked, const std::vector<int64_t>* tiles) {
  const Tiling tiling(reference.type.shape);
  if (tiling.tile_count() == 0 || (tiles != nullptr && tiles->empty())) {
    return {};
  }
  const DataType type = reference.kind == OutputKind::kIndex ? DataType::kFloat32 : reference.type.dtype;
  const TileVerdicts all = judge_tiles({reference, got, tiling, mode, errors, type, asked, tiles});
  OutputComparison result;
  result.statistics = all.statistics;
  result.refusal = all.main.refusal();
  result.statistics.max_ratio = all.main.max_ratio();
  result.statistics.excused = all.main.excused();
  result.statistics.max_excused = all.main.max_excused();
  result.statistics.either_way = all.main.either_way();
  if (mode == MathMode::kKernelBench && !reference.tf32_runs.empty()) {
    judge_as_rounded(reference, all, errors, result);
  }
  if (!result.refusal && tiles == nullptr) {
    result.refusal = all.small.refusal();
  }
  if (tiles == nullptr) {
    result.one_way = all.one_way.farthest();
  }
  return result;
}

}  // namespace

void SmallOutputErrors::widen(const SmallOutputErrors& other) {
  own = std::max(own, other.own);
  own_tf32 = std::max(own_tf32, other.own_tf32);
  apart_tf32 = std::max(apart_tf32, other.apart_tf32);
  base = std::max(base, other.base);
  draws += other.draws;
}

bool is_small(const OutputReference& reference) {
  return reference.kind != OutputKind::kExact && Tiling(reference.type.shape).is_small();
}

SmallOutputErrors small_output_errors(const OutputReference& reference, MathMode mode) {
  TileReader reader(reference, nullptr);
  reader.read(0, Tiling(reference.type.shape).tile(0));
  const TileData& tile = reader.data();
  const auto base = condition_of(reader, mode).base;
  const TileBudget budget = measure_tile(tile.truth, tile.runs, base);
  const TileBudget tf32 = measure_tile(tile.truth, reader.tf32_runs(), base);
  Nearness nearness;
  nearness.observe(tile.truth.reference, reader.tf32_runs());
  return {.own = ratio_to(budget.own_error, budget.magnitude),
          .own_tf32 = ratio_to(tf32.own_error, tf32.magnitude),
          .base = ratio_to(budget.base_error, budget.magnitude),
          .draws = 1,
          .apart_tf32 = nearness.apart()};
}

void observe_one_way(const OutputReference& reference, const HostTensor& got, OneWayErrors& errors) {
  TileReader reader(reference, &got);
  reader.read(0, Tiling(reference.type.shape).tile(0));
  errors.observe_small(reader.data(), reader.tf32_runs());
}

OutputComparison compare_output(const OutputReference& reference, const HostTensor& got, MathMode mode,
                                const SmallOutputErrors& errors, Asked asked) {
  STITCH_CHECK(got.spec().type == reference.type) << reference.name << ": the candidate's output has another type";
  const bool exact =
      reference.kind == OutputKind::kExact || (reference.kind == OutputKind::kIndex && !reference.index_source);
  OutputComparison result =
      exact ? compare_exactly(reference, got) : compare_floats(reference, got, mode, errors, asked, nullptr);
  if (!exact && reference.kind == OutputKind::kIndex) {
    judge_positions(reference, got, result);
  }
  return result;
}

OutputComparison compare_tiles(const OutputReference& reference, const HostTensor& got, MathMode mode,
                               const std::vector<int64_t>& tiles) {
  return compare_floats(reference, got, mode, {}, Asked::kReport, &tiles);
}

}  // namespace stitch::verify

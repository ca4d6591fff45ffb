// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/compare_output.h"

#include <algorithm>
#include <cmath>

#include "base/error/check.h"
#include "verify/compare/elements.h"
#include "verify/compare/exact_rule.h"
#include "verify/compare/float_rule.h"
#include "verify/compare/kernelbench_rule.h"
#include "verify/compare/tile_company.h"
#include "verify/compare/tile_reader.h"

namespace stitch::verify {
namespace {

double ratio_to(double error, double magnitude) { return magnitude > 0 ? error / magnitude : 0; }

// The run that the perturbed ones are compared with. Where runs round their operands as the mode allows, that is the
// first of them: the native run may not round at all.
struct Condition {
  std::span<const double> base;
  std::vector<std::span<const double>> perturbed;
};
Condition condition_of(const TileReader& reader, MathMode mode) {
  const bool rounded = mode == MathMode::kTf32 || mode == MathMode::kReduced;
  if (!rounded || reader.perturbed().empty()) {
    return {reader.native(), reader.perturbed()};
  }
  return {reader.perturbed().front(), {reader.perturbed().begin() + 1, reader.perturbed().end()}};
}

// Adds one tile to the sums that reports are made of. None of it decides anything.
void observe_tile(const TileReader& reader, DataType type, OutputStatistics& statistics) {
  const TileData& tile = reader.data();
  statistics.elements += static_cast<int64_t>(tile.reference.size());
  statistics.kernelbench_rule_ok =
      statistics.kernelbench_rule_ok && kernelbench_rule_holds(reader.native_in_mode(), tile.got, type);
  for (size_t i = 0; i < tile.reference.size(); ++i) {
    const double expected = tile.reference[i];
    const double error = std::fabs(tile.got[i] - expected);
    if (!std::isfinite(error)) {
      continue;
    }
    double own = 0;
    for (const auto& run : tile.runs) {
      own = std::fmax(own, std::fabs(run[i] - expected));
    }
    const double unit = unit_in_the_last_place(expected, type);
    statistics.error_sum += error;
    statistics.own_error_sum += std::isfinite(own) ? std::fmax(own, unit / 2) : unit / 2;
    statistics.ulps.add(error / unit);
  }
}

// The rules a mode accepts by: always the budget of the runs in `runs`; in mode kernelbench also TF32's with 1e-4.
struct Rules {
  Rules(const OutputReference& reference, const Tiling& tiling, double epsilon)
      : main(epsilon),
        tf32(epsilon),
        company(reference, tiling, [](const TileReader& reader) -> const auto& { return reader.data().runs; }),
        tf32_company(reference, tiling, [](const TileReader& reader) -> const auto& { return reader.tf32_runs(); }) {}
  FloatRule main;
  FloatRule tf32;
  TileCompany company;
  TileCompany tf32_company;
};

TileBudget with_small_errors(TileBudget budget, double own, double base, bool small) {
  if (small) {
    budget.own_error = std::max(budget.own_error, own * budget.magnitude);
    budget.base_error = std::max(budget.base_error, base * budget.magnitude);
  }
  return budget;
}

// `unit` is the epsilon that perturbed runs are measured by.
void judge_tile(const TileReader& reader, MathMode mode, const SmallOutputErrors& errors, bool small, double unit,
                Rules& rules, OutputStatistics& statistics) {
  const TileData& tile = reader.data();
  const Condition condition = condition_of(reader, mode);
  const TileBudget measured = measure_tile(tile.reference, tile.runs, condition.base);
  const TileBudget budget =
      with_small_errors(rules.company.steadied(tile.tile, measured), errors.own, errors.base, small);
  rules.main.judge_tile(tile, budget);
  statistics.ill_conditioned +=
      count_ill_conditioned(tile.reference, condition.base, condition.perturbed, budget, unit);
  if (mode == MathMode::kKernelBench) {
    TileData with_tf32 = tile;
    with_tf32.runs = reader.tf32_runs();
    const TileBudget tf32 = rules.tf32_company.steadied(
        tile.tile, measure_tile(tile.reference, with_tf32.runs, condition.base));
    rules.tf32.judge_tile(with_tf32, with_small_errors(tf32, errors.own_tf32, errors.base, small));
  }
}

OutputComparison compare_floats(const OutputReference& reference, const HostTensor& got, MathMode mode,
                                const SmallOutputErrors& errors) {
  const Tiling tiling(reference.type.shape);
  const DataType type = reference.kind == OutputKind::kIndex ? DataType::kFloat32 : reference.type.dtype;
  const double eps = epsilon(type);
  TileReader reader(reference, &got);
  Rules rules(reference, tiling, eps);
  OutputComparison result;
  for (int64_t i = 0; i < tiling.tile_count(); ++i) {
    reader.read(i, tiling.tile(i));
    judge_tile(reader, mode, errors, tiling.is_small(), std::max(eps, reference.input_epsilon), rules,
               result.statistics);
    observe_tile(reader, type, result.statistics);
  }
  result.refusal = rules.main.refusal();
  result.statistics.max_ratio = rules.main.max_ratio();
  if (result.refusal && mode == MathMode::kKernelBench && !reference.tf32_runs.empty()) {
    const bool accepted = result.statistics.kernelbench_rule_ok && !rules.tf32.refusal();
    result.refusal = accepted ? std::nullopt : result.refusal;
    result.statistics.max_ratio = accepted ? rules.tf32.max_ratio() : result.statistics.max_ratio;
  }
  return result;
}

}  // namespace

void SmallOutputErrors::widen(const SmallOutputErrors& other) {
  own = std::max(own, other.own);
  own_tf32 = std::max(own_tf32, other.own_tf32);
  base = std::max(base, other.base);
}

bool is_small(const OutputReference& reference) {
  return reference.kind != OutputKind::kExact && Tiling(reference.type.shape).is_small();
}

SmallOutputErrors small_output_errors(const OutputReference& reference, MathMode mode) {
  TileReader reader(reference, nullptr);
  reader.read(0, Tiling(reference.type.shape).tile(0));
  const TileData& tile = reader.data();
  const auto base = condition_of(reader, mode).base;
  const TileBudget budget = measure_tile(tile.reference, tile.runs, base);
  const TileBudget tf32 = measure_tile(tile.reference, reader.tf32_runs(), base);
  return {ratio_to(budget.own_error, budget.magnitude), ratio_to(tf32.own_error, tf32.magnitude),
          ratio_to(budget.base_error, budget.magnitude)};
}

OutputComparison compare_output(const OutputReference& reference, const HostTensor& got, MathMode mode,
                                const SmallOutputErrors& errors) {
  STITCH_CHECK(got.spec().type == reference.type) << reference.name << ": the candidate's output has another type";
  const bool exact =
      reference.kind == OutputKind::kExact || (reference.kind == OutputKind::kIndex && !reference.index_source);
  return exact ? compare_exactly(reference, got) : compare_floats(reference, got, mode, errors);
}

}  // namespace stitch::verify

// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/exact_rule.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "verify/compare/elements.h"
#include "verify/compare/tiling.h"

namespace stitch::verify {
namespace {

std::vector<int64_t> loaded(const HostTensor& tensor, TileRange range) {
  std::vector<int64_t> values(static_cast<size_t>(range.count));
  load_integers(tensor, range.begin, range.count, values.data());
  return values;
}

std::vector<std::vector<int64_t>> load_all(const std::vector<HostTensor>& tensors, TileRange range) {
  std::vector<std::vector<int64_t>> all;
  for (const HostTensor& tensor : tensors) {
    all.push_back(loaded(tensor, range));
  }
  return all;
}

std::vector<std::vector<int64_t>> load_runs(const OutputReference& reference, TileRange range) {
  std::vector<std::vector<int64_t>> runs{loaded(reference.native, range)};
  for (const auto* group : {&reference.perturbed, &reference.disturbed}) {
    for (const HostTensor& run : *group) {
      runs.push_back(loaded(run, range));
    }
  }
  return runs;
}

}  // namespace

void refuse_exactly(OutputComparison& result, Refusal refusal) {
  const int64_t refused = result.refusal ? result.refusal->refused + 1 : 1;
  if (!result.refusal) {
    refusal.ratio = std::numeric_limits<double>::infinity();
    result.refusal = refusal;
    result.statistics.max_ratio = refusal.ratio;
  }
  result.refusal->refused = refused;
}

OutputComparison compare_exactly(const OutputReference& reference, const HostTensor& got) {
  const Tiling tiling(reference.type.shape);
  OutputComparison result;
  for (int64_t tile = 0; tile < tiling.tile_count(); ++tile) {
    const TileRange range = tiling.tile(tile);
    const auto expected = loaded(reference.reference, range);
    const auto values = loaded(got, range);
    const auto runs = load_runs(reference, range);
    const auto others = load_all(reference.otherwise, range);
    for (size_t i = 0; i < expected.size(); ++i) {
      const auto differs = [&](const std::vector<int64_t>& run) { return run[i] != expected[i]; };
      const auto agrees = [&](const std::vector<int64_t>& run) { return run[i] == values[i]; };
      const bool either_way = std::any_of(others.begin(), others.end(), differs);
      result.statistics.either_way += either_way ? 1 : 0;
      result.statistics.ill_conditioned += !either_way && std::any_of(runs.begin(), runs.end(), differs) ? 1 : 0;
      if (values[i] != expected[i] && std::none_of(runs.begin(), runs.end(), agrees) &&
          std::none_of(others.begin(), others.end(), agrees)) {
        refuse_exactly(result, Refusal{range.begin + static_cast<int64_t>(i), tile, static_cast<double>(values[i]),
                                       static_cast<double>(expected[i]), 0, 0});
      }
      result.statistics.kernelbench_rule_ok = result.statistics.kernelbench_rule_ok && values[i] == runs[0][i];
      result.statistics.looser.merge({values[i] == runs[0][i], values[i] == runs[0][i]});
    }
    result.statistics.elements += range.count;
  }
  return result;
}

}  // namespace stitch::verify

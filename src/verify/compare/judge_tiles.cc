// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/judge_tiles.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error/check.h"
#include "base/parallel/for_each_parallel.h"
#include "verify/compare/condition.h"
#include "verify/compare/elements.h"
#include "verify/compare/kernelbench_rule.h"
#include "verify/compare/tile_company.h"
#include "verify/compare/tile_reader.h"

namespace stitch::verify {
namespace {

constexpr int64_t kPieceElements = 1 << 18;  // a few milliseconds of work for one thread

// Adds one tile to the sums that reports are made of. None of it decides anything.
void observe_tile(const TileReader& reader, DataType type, OutputStatistics& statistics) {
  const TileData& tile = reader.data();
  for (size_t i = 0; i < tile.got.size(); ++i) {
    const double expected = tile.truth.nearest(i, tile.got[i]);
    const double error = std::fabs(tile.got[i] - expected);
    if (!std::isfinite(error)) {
      continue;
    }
    double own = 0;
    for (const auto& run : tile.runs) {
      own = std::fmax(own, std::fabs(run[i] - tile.truth.nearest(i, run[i])));
    }
    const double unit = unit_in_the_last_place(expected, type);
    statistics.error_sum += error;
    statistics.own_error_sum += std::isfinite(own) ? std::fmax(own, unit / 2) : unit / 2;
    statistics.ulps.add(error / unit);
  }
}

// How errors of sparse tiles are steadied, for each of the two budgets.
struct Companies {
  Companies(const OutputReference& reference, const Tiling& tiling)
      : main(reference, tiling, [](const TileReader& reader) -> const auto& { return reader.data().runs; }),
        tf32(reference, tiling, [](const TileReader& reader) -> const auto& { return reader.tf32_runs(); }) {}
  TileCompany main;
  TileCompany tf32;
};

// Small outputs are judged by the errors of several draws, which chance hardly makes small.
AroundTile around_tile(TileCompany& company, int64_t tile, const TileBudget& budget, bool small, int draws,
                       bool whether) {
  AroundTile around{[&company, tile, budget] { return company.typical(tile, budget); }, {}, 1, whether};
  if (small) {
    around.draws = std::max(1, draws);
  } else {
    around.shared = [&company, tile] { return company.shared(tile); };
  }
  return around;
}

TileBudget with_small_errors(TileBudget budget, double own, double base, bool small) {
  if (small) {
    budget.own_error = std::max(budget.own_error, own * budget.magnitude);
    budget.base_error = std::max(budget.base_error, base * budget.magnitude);
  }
  return budget;
}

// Tiles `first` up to `last` of those to be judged, by one thread.
class Piece {
 public:
  Piece(const Comparison& whole, int64_t first, int64_t last)
      : whole_(whole),
        first_(first),
        last_(last),
        verdicts_{FloatRule(epsilon(whole.type), whole.tiling.tile_count()),
                  FloatRule(epsilon(whole.type), whole.tiling.tile_count()),
                  {},
                  {},
                  SmallNumbers(epsilon(whole.type)),
                  OneWayErrors(epsilon(whole.type), whole.reference.type.shape)},
        companies_(whole.reference, whole.tiling) {}

  void judge() {
    TileReader reader(whole_.reference, &whole_.got);
    for (int64_t next = first_; next < last_; ++next) {
      const int64_t tile = whole_.tiles == nullptr ? next : (*whole_.tiles)[static_cast<size_t>(next)];
      reader.read(tile, whole_.tiling.tile(tile));
      judge_tile(reader);
      if (whole_.asked == Asked::kWhether && is_refused_for_good()) {
        return;
      }
      verdicts_.statistics.elements += static_cast<int64_t>(reader.data().got.size());
      verdicts_.statistics.kernelbench_rule_ok =
          verdicts_.statistics.kernelbench_rule_ok &&
          kernelbench_rule_holds(reader.native_in_mode(), reader.data().got, whole_.type);
      verdicts_.statistics.looser.merge({is_allclose(reader.native_in_mode(), reader.data().got, kCudaForgeTolerance),
                                         is_allclose(reader.native_in_mode(), reader.data().got, kCudaAgentTolerance)});
      if (whole_.asked == Asked::kReport) {
        observe_tile(reader, whole_.type, verdicts_.statistics);
      }
      if (whole_.reference.kind == OutputKind::kFloat) {
        verdicts_.small.observe(reader.data(), reader.tf32_runs());
        verdicts_.one_way.observe(reader.data(), reader.tf32_runs());
      }
    }
  }

  const TileVerdicts& verdicts() const { return verdicts_; }

 private:
  void judge_tile(const TileReader& reader);
  // Whatever the tiles hold that were not judged.
  bool is_refused_for_good() const {
    const bool may_round = whole_.mode == MathMode::kKernelBench && !whole_.reference.tf32_runs.empty();
    const bool has_positions = whole_.reference.kind == OutputKind::kIndex;
    return !has_positions && verdicts_.main.is_refused_for_good() &&
           (!may_round || verdicts_.tf32.is_refused_for_good());
  }

  const Comparison& whole_;
  int64_t first_;
  int64_t last_;
  TileVerdicts verdicts_;
  Companies companies_;
};

void Piece::judge_tile(const TileReader& reader) {
  const TileData& tile = reader.data();
  const SmallOutputErrors& errors = whole_.errors;
  const bool small = whole_.tiling.is_small();
  const bool whether = whole_.asked == Asked::kWhether;
  // What perturbed runs are measured by.
  const double unit = std::max(epsilon(whole_.type), whole_.reference.input_epsilon);
  const Condition condition = condition_of(reader, whole_.mode);
  const TileBudget measured = measure_tile(tile.truth, tile.runs, condition.base);
  const TileBudget budget =
      with_small_errors(companies_.main.steadied(tile.tile, measured), errors.own, errors.base, small);
  verdicts_.main.judge_tile(tile, budget,
                            around_tile(companies_.main, tile.tile, budget, small, errors.draws, whether));
  verdicts_.statistics.ill_conditioned +=
      count_ill_conditioned(tile.truth, condition.base, condition.perturbed, budget, unit);
  if (whole_.mode == MathMode::kKernelBench) {
    TileData with_tf32 = tile;
    with_tf32.runs = reader.tf32_runs();
    const TileBudget tf32 =
        companies_.tf32.steadied(tile.tile, measure_tile(tile.truth, with_tf32.runs, condition.base));
    const TileBudget with_small = with_small_errors(tf32, errors.own_tf32, errors.base, small);
    verdicts_.tf32.judge_tile(with_tf32, with_small,
                              around_tile(companies_.tf32, tile.tile, with_small, small, errors.draws, whether));
    verdicts_.nearness.observe(tile.got, with_tf32.runs);
  }
}

}  // namespace

TileVerdicts judge_tiles(const Comparison& whole) {
  const int64_t tiles = whole.tiles == nullptr ? whole.tiling.tile_count() : static_cast<int64_t>(whole.tiles->size());
  const int64_t count = std::clamp<int64_t>(whole.tiling.element_count() / kPieceElements, 1, tiles);
  std::vector<Piece> pieces;
  pieces.reserve(static_cast<size_t>(count));
  for (int64_t piece = 0; piece < count; ++piece) {
    pieces.emplace_back(whole, tiles * piece / count, tiles * (piece + 1) / count);
  }
  const auto judged = for_each_parallel(pieces.size(), 0, [&](size_t index) -> Result<void> {
    pieces[index].judge();
    return {};
  });
  STITCH_CHECK(judged.has_value()) << "no piece fails";
  TileVerdicts all = pieces.front().verdicts();
  for (size_t later = 1; later < pieces.size(); ++later) {
    all.main.merge(pieces[later].verdicts().main);
    all.tf32.merge(pieces[later].verdicts().tf32);
    all.nearness.merge(pieces[later].verdicts().nearness);
    all.statistics.merge(pieces[later].verdicts().statistics);
    all.small.merge(pieces[later].verdicts().small);
    all.one_way.merge(pieces[later].verdicts().one_way);
  }
  return all;
}

}  // namespace stitch::verify

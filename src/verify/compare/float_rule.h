// SPDX-License-Identifier: Apache-2.0
// The accept rule for floating-point outputs, tile after tile.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "verify/compare/lone_tiles.h"
#include "verify/compare/refusal.h"
#include "verify/compare/tile_budget.h"

namespace stitch::verify {

// One tile's elements, as doubles. The truth is infinite where the output's type cannot hold it.
struct TileData {
  int64_t tile = 0;
  int64_t begin = 0;  // element number of the first
  TileTruth truth;
  std::vector<std::span<const double>> runs;  // the native run first
  std::span<const double> got;
};

// What is asked about the tiles around one that errs beyond its own budget; either may be empty.
struct AroundTile {
  std::function<TileBudget()> typical;
  std::function<SharedErrors()> shared;
  int draws = 1;         // that its budget is the largest error of
  bool whether = false;  // nothing but whether it is refused is asked: what no budget allows ends it
};

class FloatRule {
 public:
  // `tiles`: of the whole output, whether all of them are judged or some.
  FloatRule(double epsilon, int64_t tiles) : epsilon_(epsilon), lone_(tiles) {}

  // A tile that errs beyond `budget` is judged again by the typical budget around it, and then by chance.
  void judge_tile(const TileData& tile, const TileBudget& budget, const AroundTile& around = {});
  // Adds the results of later tiles.
  void merge(const FloatRule& later);

  // Whether a tile was refused that no chance explains, however many others there are.
  bool is_refused_for_good() const { return worst_.has_value(); }
  // The worst refused element, if any was refused.
  std::optional<Refusal> refusal() const;
  // Tiles that were accepted beyond kErrorMultiple, as lone_tiles.h says; 0 where any was refused.
  int64_t excused() const { return refusal() ? 0 : lone_.exceeding(); }
  double max_excused() const { return lone_.largest(); }
  // Elements whose right value depends on decisions that lie within rounding.
  int64_t either_way() const { return either_way_; }
  // The largest error as a multiple of the reference's own; kErrorMultiple is the limit. Excused tiles are left out.
  double max_ratio() const;

 private:
  bool agrees_with_a_run(const TileData& tile, const TileBudget& budget, size_t i) const;
  // What was found of one tile: its largest error, and the worst refused element.
  struct Found {
    double max_ratio = 0;
    std::optional<Refusal> worst{};
  };
  Found judge_elements(const TileData& tile, const TileBudget& budget) const;
  // The chance of the tile's worst error, where few numbers make it.
  std::optional<double> chance_of(const Refusal& worst, const TileData& tile, const TileBudget& budget,
                                  const AroundTile& around) const;
  bool may_stand_out(const Refusal& worst, const TileData& tile, const TileBudget& budget) const;
  void judge_element(const TileData& tile, const TileBudget& budget, size_t i, Found& found) const;
  bool is_either_way(const TileData& tile, const TileBudget& budget, size_t i) const;

  double epsilon_;
  double max_ratio_ = 0;
  int64_t either_way_ = 0;
  std::optional<Refusal> worst_;
  LoneTiles lone_;
};

}  // namespace stitch::verify

// SPDX-License-Identifier: Apache-2.0
// E of tiles in which few elements err at all, as behind a ReLU that lets little through: the largest of two random
// errors says little about a third, so such a tile takes the largest error of its neighbours too.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "verify/compare/shared_errors.h"
#include "verify/compare/tile_budget.h"
#include "verify/compare/tile_reader.h"
#include "verify/compare/tiling.h"

namespace stitch::verify {

class TileCompany {
 public:
  // Which of a tile's runs the errors are measured over.
  using Runs = const std::vector<std::span<const double>>& (*)(const TileReader&);

  // `reference` and `tiling` outlive it.
  TileCompany(const OutputReference& reference, const Tiling& tiling, Runs runs);

  // `budget` of `tile`, widened by neighbours on both sides until kSteadyElements elements err among them, within
  // kCompanyElements elements. A tile of exact numbers is left as it is: copies have no budget to borrow. One of zeros
  // is not: what a ReLU cuts off in every run, an honest candidate's error may lift above it.
  TileBudget steadied(int64_t tile, TileBudget budget);

  // `budget` of `tile` with no less error than what is typical around it; see kTypicalTiles. As it is where there are
  // fewer tiles than that.
  TileBudget typical(int64_t tile, TileBudget budget);

  // Of how few random numbers the errors of `tile` are made, by its own runs and those of the tiles around it. It has
  // kErrorRuns runs.
  SharedErrors shared(int64_t tile);

 private:
  const TileBudget& errors(int64_t tile);
  const RunOverlap& overlap(int64_t tile);
  // The first of the kTypicalTiles tiles around `tile`, of all where there are fewer.
  int64_t first_around(int64_t tile) const;

  const Tiling& tiling_;
  Runs runs_;
  TileReader reader_;
  std::unordered_map<int64_t, TileBudget> known_;        // by tile
  std::unordered_map<int64_t, RunOverlap> overlapping_;  // by tile
};

}  // namespace stitch::verify

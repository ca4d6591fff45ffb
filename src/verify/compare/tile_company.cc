// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/tile_company.h"

#include <algorithm>

#include "verify/compare/constants.h"

namespace stitch::verify {

TileCompany::TileCompany(const OutputReference& reference, const Tiling& tiling, Runs runs)
    : tiling_(tiling), runs_(runs), reader_(reference, nullptr) {}

TileBudget TileCompany::steadied(int64_t tile, TileBudget budget) {
  if (budget.erring == 0 && budget.magnitude > 0) {
    return budget;
  }
  int64_t elements = tiling_.tile(tile).count;
  for (int64_t distance = 1; budget.erring < kSteadyElements && elements < kCompanyElements; ++distance) {
    const bool is_alone = tile - distance < 0 && tile + distance >= tiling_.tile_count();
    if (is_alone) {
      break;
    }
    for (const int64_t neighbour : {tile - distance, tile + distance}) {
      if (neighbour < 0 || neighbour >= tiling_.tile_count()) {
        continue;
      }
      const TileBudget& other = errors(neighbour);
      budget.own_error = std::max(budget.own_error, other.own_error);
      budget.squares += other.squares;
      budget.fourths += other.fourths;
      budget.erring += other.erring;
      elements += tiling_.tile(neighbour).count;
    }
  }
  return budget;
}

TileBudget TileCompany::typical(int64_t tile, TileBudget budget) {
  if (tiling_.tile_count() <= kTypicalTiles || budget.own_error == 0) {
    return budget;
  }
  const int64_t first = first_around(tile);
  std::vector<double> relative;
  for (int64_t other = first; other < first + kTypicalTiles; ++other) {
    const TileBudget& around = errors(other);
    relative.push_back(around.rms > 0 ? around.own_error / around.rms : 0);
  }
  const auto middle = relative.begin() + kTypicalTiles / 2;
  std::nth_element(relative.begin(), middle, relative.end());
  budget.own_error = std::max(budget.own_error, *middle * budget.rms);
  return budget;
}

SharedErrors TileCompany::shared(int64_t tile) {
  const int64_t first = first_around(tile);
  std::vector<RunOverlap> around;
  for (int64_t other = first; other < std::min(first + kTypicalTiles, tiling_.tile_count()); ++other) {
    around.push_back(overlap(other));
  }
  return shared_errors(overlap(tile), around);
}

int64_t TileCompany::first_around(int64_t tile) const {
  return std::clamp<int64_t>(tile - kTypicalTiles / 2, 0, std::max<int64_t>(0, tiling_.tile_count() - kTypicalTiles));
}

const RunOverlap& TileCompany::overlap(int64_t tile) {
  const auto [found, is_new] = overlapping_.try_emplace(tile);
  if (is_new) {
    reader_.read(tile, tiling_.tile(tile));
    found->second = measure_overlap(reader_.data().truth, runs_(reader_));
  }
  return found->second;
}

const TileBudget& TileCompany::errors(int64_t tile) {
  const auto [found, is_new] = known_.try_emplace(tile);
  if (is_new) {
    reader_.read(tile, tiling_.tile(tile));
    found->second = measure_tile(reader_.data().truth, runs_(reader_), reader_.native());
  }
  return found->second;
}

}  // namespace stitch::verify

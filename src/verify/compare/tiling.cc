// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/tiling.h"

#include <algorithm>

#include "verify/compare/constants.h"

namespace stitch::verify {
namespace {

int64_t divide_up(int64_t value, int64_t divisor) { return (value + divisor - 1) / divisor; }

}  // namespace

Tiling::Tiling(const std::vector<int64_t>& shape) {
  for (const int64_t extent : shape) {
    elements_ *= extent;
  }
  if (elements_ == 0) {
    return;
  }
  is_small_ = elements_ < kTileMinimumElements;
  row_length_ = shape.empty() ? 1 : shape.back();
  const int64_t rows = elements_ / row_length_;
  if (row_length_ > kTileMaximumElements) {
    pieces_per_row_ = divide_up(row_length_, kTileMaximumElements);
    tile_count_ = rows * pieces_per_row_;
  } else {
    rows_per_tile_ = divide_up(kTileMinimumElements, row_length_);
    // The last tile takes the rows that are left over, so that none is too small.
    tile_count_ = std::max<int64_t>(1, rows / rows_per_tile_);
  }
}

TileRange Tiling::tile(int64_t index) const {
  if (pieces_per_row_ > 1) {
    const int64_t row = index / pieces_per_row_;
    const int64_t piece = index % pieces_per_row_;
    const int64_t first = row_length_ * piece / pieces_per_row_;
    const int64_t last = row_length_ * (piece + 1) / pieces_per_row_;
    return {row * row_length_ + first, last - first};
  }
  const int64_t length = rows_per_tile_ * row_length_;
  const int64_t begin = index * length;
  return {begin, index + 1 == tile_count_ ? elements_ - begin : length};
}

int64_t Tiling::tile_of(int64_t element) const {
  int64_t low = 0;
  int64_t high = tile_count_ - 1;
  while (low < high) {
    const int64_t middle = (low + high + 1) / 2;
    (tile(middle).begin <= element ? low : high) = tile(middle).begin <= element ? middle : middle - 1;
  }
  return low;
}

}  // namespace stitch::verify

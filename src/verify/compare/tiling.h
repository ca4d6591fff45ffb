// SPDX-License-Identifier: Apache-2.0
// Cuts an output into tiles: whole rows joined to at least kTileMinimumElements, rows longer than
// kTileMaximumElements cut into equal pieces. An output of fewer than kTileMinimumElements is one tile.
#pragma once

#include <cstdint>
#include <vector>

namespace stitch::verify {

struct TileRange {
  int64_t begin = 0;  // element number, row-major
  int64_t count = 0;
};

class Tiling {
 public:
  explicit Tiling(const std::vector<int64_t>& shape);

  int64_t tile_count() const { return tile_count_; }
  int64_t element_count() const { return elements_; }
  TileRange tile(int64_t index) const;
  int64_t tile_of(int64_t element) const;
  // Whether the whole output is one tile of fewer than kTileMinimumElements.
  bool is_small() const { return elements_ > 0 && is_small_; }

 private:
  int64_t elements_ = 1;
  int64_t row_length_ = 1;
  int64_t pieces_per_row_ = 1;  // > 1 for long rows only
  int64_t rows_per_tile_ = 1;   // > 1 for short rows only
  int64_t tile_count_ = 0;
  bool is_small_ = false;
};

}  // namespace stitch::verify

// SPDX-License-Identifier: Apache-2.0
// Which sums of a product its group takes: all, or those of a triangle. Tiles without any are not multiplied
// (runtime/kernels/gemm/raster.cuh).
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/group/group.h"

namespace stitch::kernels {

// Diagonals (column - row); where there is no bound, all are taken on that side.
struct KeptDiagonals {
  std::optional<int64_t> least = std::nullopt;
  std::optional<int64_t> greatest = std::nullopt;

  bool are_all() const { return !least.has_value() && !greatest.has_value(); }
  // Of the tiles of a product of so many rows and columns, the share that has any. 1 of a product without elements.
  double share_of_tiles(int64_t rows, int64_t columns, int64_t tile_rows, int64_t tile_columns) const;
};

// Of the group's root, whose last two axes are rows and columns. Pointwise work between the product and its triangle
// takes nothing of the other sums either.
KeptDiagonals kept_diagonals(const Group& group);

}  // namespace stitch::kernels

// SPDX-License-Identifier: Apache-2.0
// Index maps: how the loops of a kernel visit the elements of each value that is fused into it.
//
// A Domain is a list of loops. The index of a value along one of its axes is affine in them,
//   index = offset + sum of coefficient * loop,
// so views (permute, slice, expand, most reshapes) cost nothing: they only change coefficients. Where a reshape cuts an
// axis that one loop walks, the loop is split in two; where it cannot be, the map does not exist and the value has to
// be written to memory first.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error/result.h"
#include "ir/graph/graph.h"

namespace stitch::kernels {

struct Term {
  int loop = 0;
  int64_t coefficient = 1;
  bool operator==(const Term&) const = default;
};

struct AffineIndex {
  int64_t offset = 0;
  std::vector<Term> terms;  // at most one per loop, outermost (largest coefficient) first
  bool operator==(const AffineIndex&) const = default;
};

using IndexMap = std::vector<AffineIndex>;  // one per axis of the value

class Domain {
 public:
  Domain() = default;
  // One loop per axis of `shape`, those of one element included: a batch of one then has the text of any other batch.
  explicit Domain(const std::vector<int64_t>& shape);

  // Loop i as it is now; splitting replaces a loop by two *new* numbers, so extents never change under a number.
  int64_t extent(int loop) const { return loops_[static_cast<size_t>(loop)].extent; }
  // The loops of axis `axis` of the anchor shape, outermost first.
  std::vector<int> axis_loops(int axis) const;
  const std::vector<int64_t>& shape() const { return shape_; }
  // The anchor value's own map: axis i is walked by its loops, in order.
  IndexMap anchor_map() const;

  // The map over `to` of the same elements that `map` visits over `from`; nullopt when it is not affine.
  std::optional<IndexMap> reshape(const IndexMap& map, const std::vector<int64_t>& from,
                                  const std::vector<int64_t>& to);
  // Whether both maps visit the same elements (loops of one element do not matter).
  bool same_place(const IndexMap& a, const IndexMap& b) const;
  // `map` in terms of the loops as they are now (after splits).
  IndexMap current(const IndexMap& map) const;

 private:
  struct Loop {
    int64_t extent = 1;
    int outer = -1;  // after a split: the loops that took its place
    int inner = -1;
  };
  AffineIndex current(const AffineIndex& index) const;
  void append_leaves(int loop, std::vector<int>& leaves) const;
  void split(int loop, int64_t inner_extent);
  // Places each term of `linear` in the axis of `to` it walks; false after splitting a loop that crossed two.
  enum class Placement { kDone, kSplit, kImpossible };
  Placement place(const AffineIndex& linear, const std::vector<int64_t>& to, IndexMap& result);

  std::vector<int64_t> shape_;
  std::vector<Loop> loops_;
};

// The map of an operand of `operand_shape` that is broadcast (aligned at the last axis) to a value of `shape`, which is
// visited by `map`.
IndexMap broadcast(const IndexMap& map, const std::vector<int64_t>& shape, const std::vector<int64_t>& operand_shape);

// Where in a contiguous buffer of `shape` a map leads: offset and one stride per loop.
AffineIndex linear_index(const IndexMap& map, const std::vector<int64_t>& shape);

}  // namespace stitch::kernels

// SPDX-License-Identifier: Apache-2.0
// Small outputs beside large ones. A tile's budget follows from its largest errors, so that what is far smaller than
// these may be anything, zero among others. Where the reference itself knows small elements well, they are asked to be
// right for their own size: elements are taken together by magnitude, over the whole output.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "verify/compare/float_rule.h"
#include "verify/compare/refusal.h"

namespace stitch::verify {

class SmallNumbers {
 public:
  explicit SmallNumbers(double epsilon);

  // `more_runs`: of the reference in coarser arithmetic that the mode accepts, where it has such.
  void observe(const TileData& tile, const std::vector<std::span<const double>>& more_runs);
  // Adds what was seen of later tiles.
  void merge(const SmallNumbers& later);
  // The smallest magnitude of which too many elements are lost, with the first such element.
  std::optional<Refusal> refusal() const;

 private:
  struct Group {
    int64_t elements = 0;
    int64_t known = 0;  // all runs of the reference agree about them
    int64_t lost = 0;   // of those
    std::optional<Refusal> first_lost{};
  };
  bool is_known(const TileData& tile, const std::vector<std::span<const double>>& more_runs, size_t i) const;
  void observe_element(const TileData& tile, const std::vector<std::span<const double>>& more_runs, size_t i);

  double known_within_;
  std::vector<Group> groups_;
};

// Where too many elements of one group were found to be lost elsewhere. `group` counts from the smallest.
Refusal refused_as_lost(int group, int64_t lost, int64_t known, Refusal first_lost);

}  // namespace stitch::verify

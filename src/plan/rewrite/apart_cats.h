// SPDX-License-Identifier: Apache-2.0
// Large concatenations that need never be written: pointwise work reads their parts where they lie.
#pragma once

#include <map>
#include <vector>

#include "ir/graph/graph.h"

namespace stitch::plan {

class ApartCats {
 public:
  explicit ApartCats(const ir::Graph& graph);

  // Whether `value` is such a concatenation: other than by one pointwise operator it is read only by reductions of its
  // parts' own elements and by further concatenations along its axis.
  bool contains(ir::ValueId value) const { return parts_.count(value) > 0; }
  // What it is made of, none of which is such a concatenation.
  const std::vector<ir::ValueId>& parts_of(ir::ValueId value) const { return parts_.at(value); }

 private:
  std::map<ir::ValueId, std::vector<ir::ValueId>> parts_;
};

// Whether `node` reduces its first operand without joining elements along `axis`.
bool is_reduction_beside(const ir::Node& node, int64_t axis);

}  // namespace stitch::plan

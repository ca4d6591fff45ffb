// SPDX-License-Identifier: Apache-2.0
// Which accumulator of runtime/kernels/reduce serves a set of reductions that share a pass.
#pragma once

#include <string>
#include <vector>

#include "kernels/code/expr.h"
#include "kernels/group/group.h"

namespace stitch::kernels {

struct AccumulatorKind {
  const char* type = "";     // "SumAccumulator"
  int64_t bytes = 0;         // of one, in scratch memory
  bool needs_count = false;  // a mean divides by the number of elements

  // The result of `node` in terms of the accumulator `total`, or of each lane's of `totals`.
  Expr result(const ir::Node& node, const Expr& count) const;
  // Mean, squared deviations and count.
  bool has_moments() const;
};

bool is_reduction(const ir::Node& node);  // sum mean amax amin var logsumexp
// The reductions of a pass of the group: `first`, and siblings over the same operand and axes.
std::vector<ir::NodeId> reductions_of(const Group& group, const ir::Node& first);
// Of a reduce group, those of its root's.
std::vector<ir::NodeId> reductions_of(const Group& group);
// Those of `first`'s that `results` follow from within the group.
std::vector<ir::NodeId> reductions_behind(const Group& group, const ir::Node& first,
                                          const std::vector<ir::ValueId>& results);
Result<AccumulatorKind> choose_accumulator(const ir::Graph& graph, const std::vector<ir::NodeId>& reductions);

}  // namespace stitch::kernels

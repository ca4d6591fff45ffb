// SPDX-License-Identifier: Apache-2.0
// How often each value is used, by nodes and as an output of the program.
#pragma once

#include <vector>

#include "ir/graph/graph.h"

namespace stitch::plan {

class UseCounts {
 public:
  explicit UseCounts(const ir::Graph& graph) : counts_(graph.values.size(), 0) {
    for (const ir::Node& node : graph.nodes) {
      for (const ir::Operand& operand : node.operands) {
        if (ir::is_tensor(operand)) {
          ++counts_[static_cast<size_t>(std::get<ir::ValueId>(operand).index)];
        }
      }
    }
    for (const ir::GraphOutput& output : graph.outputs) {
      ++counts_[static_cast<size_t>(output.value.index)];
    }
  }

  int of(ir::ValueId value) const { return counts_[static_cast<size_t>(value.index)]; }

 private:
  std::vector<int> counts_;
};

}  // namespace stitch::plan

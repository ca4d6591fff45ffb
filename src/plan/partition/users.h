// SPDX-License-Identifier: Apache-2.0
// Who uses a value, directly or through views.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "ir/graph/graph.h"

namespace stitch::plan {

class Users {
 public:
  explicit Users(const ir::Graph& graph);

  const std::vector<ir::NodeId>& direct(ir::ValueId value) const { return direct_[static_cast<size_t>(value.index)]; }
  bool is_output(ir::ValueId value) const { return outputs_.count(value) > 0; }
  // Nodes that read `value` once views that are not placed are looked through. `reaches_output` is set when a graph
  // output is such a view.
  std::set<ir::NodeId> through_views(ir::ValueId value, const std::function<bool(ir::NodeId)>& is_placed,
                                     bool* reaches_output = nullptr) const;

 private:
  const ir::Graph& graph_;
  std::vector<std::vector<ir::NodeId>> direct_;
  std::set<ir::ValueId> outputs_;
};

}  // namespace stitch::plan

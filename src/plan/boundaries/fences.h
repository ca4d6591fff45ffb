// SPDX-License-Identifier: Apache-2.0
// Given boundaries, found in a graph.
#pragma once

#include <set>
#include <vector>

#include "ir/graph/graph.h"
#include "plan/boundaries/boundary.h"

namespace stitch::plan {

class Fences {
 public:
  // kFileInvalid, with the names: a node that is not there or in two boundaries; one that lies between the nodes of a
  // boundary and not within it; boundaries that need each other's results.
  static Result<Fences> find(const ir::Graph& graph, const std::vector<Boundary>& boundaries);

  // The boundary that `node` lies within, -1 for none.
  int of(ir::NodeId node) const { return of_[static_cast<size_t>(node.index)]; }
  bool is_written(int fence) const { return fence >= 0 && written_[static_cast<size_t>(fence)]; }
  // Views that lie between its nodes are among them.
  const std::set<ir::NodeId>& nodes(int fence) const { return nodes_[static_cast<size_t>(fence)]; }
  // Nodes that no boundary keeps apart.
  bool allow(ir::NodeId a, ir::NodeId b) const { return of(a) == of(b); }
  // All nodes, each behind those that it reads, and those of a boundary in a row.
  const std::vector<ir::NodeId>& order() const { return order_; }

 private:
  std::vector<int> of_;  // by node
  std::vector<bool> written_;
  std::vector<std::set<ir::NodeId>> nodes_;
  std::vector<ir::NodeId> order_;
};

}  // namespace stitch::plan

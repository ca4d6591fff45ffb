// SPDX-License-Identifier: Apache-2.0
// Appends nodes with inferred types and names that are unique and can be names: for the importer, passes and tests.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/graph/graph.h"

namespace stitch::ir {

class Builder {
 public:
  // `graph` outlives the builder; values it already has keep their names.
  explicit Builder(Graph& graph);

  const Graph& graph() const { return graph_; }

  ValueId add_input(const std::string& name, TensorType type, TensorRole role, std::string binding);
  // `names` are wishes, one for each output or none at all; missing ones are made from the operator's name.
  // Fails with the operator's refusal.
  Result<std::vector<ValueId>> add(Node node, const std::vector<std::string>& names = {});
  // The same for a node with one output.
  Result<ValueId> add_one(Node node, const std::string& name = {});
  // A node whose types are given, not inferred: an "opaque" one.
  std::vector<ValueId> add_typed(Node node, const std::vector<std::pair<std::string, TensorType>>& outputs);

  void rename(ValueId id, const std::string& wish);
  // Removes all nodes from `first_node` on, and all values from `first_value` on, which must be their results.
  void drop_nodes(size_t first_node, size_t first_value);

  // `wish`, made a C identifier and unique; not yet taken.
  std::string unique_name(const std::string& wish) const;

 private:
  Graph& graph_;
  std::set<std::string> names_;
};

}  // namespace stitch::ir

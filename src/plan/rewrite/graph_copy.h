// SPDX-License-Identifier: Apache-2.0
// A pass walks the old graph in order and builds the new one here: nodes are kept, replaced or left out, and everything
// that used an old value uses what took its place.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/build/builder.h"

namespace stitch::plan {

class GraphCopy {
 public:
  explicit GraphCopy(const ir::Graph& from);
  GraphCopy(const GraphCopy&) = delete;
  GraphCopy& operator=(const GraphCopy&) = delete;

  const ir::Graph& graph() const { return to_; }
  // `node` of the old graph with operands of the new one.
  ir::Node mapped(const ir::Node& node) const;
  ir::ValueId mapped(ir::ValueId old) const { return map_.at(old); }
  // Copies the node, its results under their old names.
  Result<void> keep(const ir::Node& node);
  // Adds a node of the new graph with one result.
  Result<ir::ValueId> add(ir::Node node, const std::string& name);
  // The same for several; `names` are wishes, one for each.
  Result<std::vector<ir::ValueId>> add_all(ir::Node node, const std::vector<std::string>& names);
  // Makes `now` take the place of `old` in all later nodes.
  void replace(ir::ValueId old, ir::ValueId now) { map_[old] = now; }
  // The new graph; every output must have been mapped.
  ir::Graph finish();

 private:
  const ir::Graph& from_;
  ir::Graph to_;
  ir::Builder builder_;
  std::map<ir::ValueId, ir::ValueId> map_;
};

}  // namespace stitch::plan

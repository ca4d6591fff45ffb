// SPDX-License-Identifier: Apache-2.0
// A set of nodes that one step computes. It reads `operands` from memory and writes `results`; every other value in it
// lives in registers. The root is the node whose kernel skeleton it is: nodes before it are its prologue (computed
// while loading), nodes after it its epilogue (computed while storing).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/graph/graph.h"

namespace stitch::kernels {

// A part of a concatenation whose memory is its slice of the whole, so that nobody copies it.
struct InWhole {
  ir::ValueId part;
  size_t axis = 0;  // along which the parts lie
  // Nothing: the code is made for that, and yet the part has memory of its own (a step run alone).
  std::optional<ir::ValueId> whole;
  bool operator==(const InWhole&) const = default;
};

struct Group {
  const ir::Graph* graph = nullptr;
  ir::NodeId root;
  std::vector<ir::NodeId> nodes;       // in the graph's order, views included
  std::vector<ir::ValueId> operands;   // in the order of first use
  std::vector<ir::ValueId> results;    // in the order of the nodes
  std::vector<InWhole> in_whole = {};  // of its results; of a concatenation, of its operands too

  const ir::Node& root_node() const { return graph->node(root); }
  bool contains(ir::NodeId node) const;
  bool computes(ir::ValueId value) const;
  bool reads(ir::ValueId value) const;
  bool makes(ir::ValueId value) const;
  // nullptr: it has memory of its own.
  const InWhole* place_of(ir::ValueId value) const;
  // The shape of the tensor by whose strides `value` lies in memory.
  const std::vector<int64_t>& memory_shape(ir::ValueId value) const;
};

// Whether it is a parameter of the program, which prepare() has.
bool is_parameter(const ir::Graph& graph, ir::ValueId value);
// A parameter, or several side by side: there before what steps keep is made, and the same in every call.
bool is_given_weight(const ir::Graph& graph, ir::ValueId value);
// Nodes that cost nothing to repeat: they belong to every group that looks through them.
bool is_view(const ir::Node& node);       // reshape permute expand slice select
bool is_generated(const ir::Node& node);  // full arange: no memory behind them
// Nodes whose element at a position depends on single elements of the operands: pointwise operators, tril, look-ups.
bool is_elementwise(const ir::Node& node);
// Elementwise nodes that draw random numbers: their operand is read only where a caller hands numbers in.
bool is_random(const ir::Node& node);  // uniform normal
// Elementwise nodes whose first operand is a table, read at positions other than the result's own.
bool is_look_up(const ir::Node& node);  // embedding gather index_select pad

// Closes `nodes` over the views and generated values they look through. `stored` says which values (graph inputs and
// those that some step writes) are in memory although a view or a generator makes them.
Group make_group(const ir::Graph& graph, ir::NodeId root, const std::vector<ir::NodeId>& nodes,
                 const std::set<ir::ValueId>& stored, std::vector<ir::ValueId> results);

}  // namespace stitch::kernels

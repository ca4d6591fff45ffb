// SPDX-License-Identifier: Apache-2.0
// A graph as the page draws it.
#pragma once

#include "base/json/json_forward.h"
#include "ir/graph/graph.h"

namespace stitch::report {

// {"mode", "inputs": [{name, role, binding, type, bytes}], "outputs": [{name, role, binding, from}],
//  "nodes": [{op, family, name, type, place, in, text}]}
// `in` and `from` name producers: a node by its index, input i as -1 - i. `text` is the node's line of graph.ir.
Json graph_json(const ir::Graph& graph);

}  // namespace stitch::report

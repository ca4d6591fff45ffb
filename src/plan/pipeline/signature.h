// SPDX-License-Identifier: Apache-2.0
// Graphs that compute the same are the same text once nothing in them has a name.
#pragma once

#include <string>

#include "ir/graph/graph.h"

namespace stitch::plan {

// The graph called `name`, its values and bindings numbered, without mode and places in the source.
ir::Graph without_names(ir::Graph graph, const std::string& name);

}  // namespace stitch::plan

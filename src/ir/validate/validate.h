// SPDX-License-Identifier: Apache-2.0
// What must hold of every graph. Run before and after each pass in tests, and on every graph read from a file.
#pragma once

#include "ir/graph/graph.h"

namespace stitch::ir {

// Unique C identifiers that are no word of IR text; operands defined before use; every node's declared types equal to
// what its operator infers (an "opaque" node has no rule); state outputs paired with state inputs of the same type.
// The error names the node and its place.
Result<void> validate(const Graph& graph);

// Whether `name` can name a value: a C identifier that IR text does not read as something else.
bool is_value_name(std::string_view name);

}  // namespace stitch::ir

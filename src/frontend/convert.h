// SPDX-License-Identifier: Apache-2.0
// From the importer's exported program to a graph: ATen's many spellings become our operators, promotion and defaults
// become explicit, and every type is checked against PyTorch's metadata.
#pragma once

#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "ir/graph/graph.h"

namespace stitch::frontend {

// An operator that we lack, or a form of one, is carried as an "opaque" node (attributes: target, reason), so that one
// run finds all of them. A type that differs from PyTorch's is an error that names operator and place.
Result<ir::Graph> graph_from_exported(const Json& exported);

struct Unsupported {
  std::string target;    // "aten.fft_rfft.default"
  std::string location;  // "model.py:14"
  std::string nearest;   // the supported operator closest in spelling: "aten.relu"
  std::string reason;    // why this form is not supported, where the operator is; may be empty
};

// Every operator and place that is carried opaquely, in the program's order, none twice.
std::vector<Unsupported> unsupported_operators(const ir::Graph& graph);

}  // namespace stitch::frontend

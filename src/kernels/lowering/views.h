// SPDX-License-Identifier: Apache-2.0
// Index maps through the view operators, in both directions.
#pragma once

#include <optional>

#include "kernels/access/domain.h"

namespace stitch::kernels {

// The map of a view's operand when its result is visited by `map`.
std::optional<IndexMap> view_operand_map(const ir::Graph& graph, const ir::Node& node, const IndexMap& map,
                                         Domain& domain);
// The other way round, for views that keep every element: permute and reshape.
std::optional<IndexMap> view_result_map(const ir::Graph& graph, const ir::Node& node, const IndexMap& map,
                                        Domain& domain);

}  // namespace stitch::kernels

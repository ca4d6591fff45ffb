// SPDX-License-Identifier: Apache-2.0
// What a product reads through a view that no kernel of ours can follow, and that is copied for it.
#pragma once

#include <vector>

#include "kernels/builtin_templates.h"

namespace stitch::plan {

// The operands of a product that no kernel can read where they lie.
inline std::vector<ir::ValueId> copied_operands(const ir::Graph& graph, ir::NodeId id) {
  const kernels::KernelTemplate* kernel = kernels::template_for(graph, graph.node(id));
  if (kernel == nullptr) {
    return {};
  }
  return kernel->store_first(kernels::make_group(graph, id, {id}, {}, graph.node(id).outputs));
}

}  // namespace stitch::plan

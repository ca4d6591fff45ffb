// SPDX-License-Identifier: Apache-2.0
// What any group has to compute, whoever does it.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// template_for() of builtin_templates.h.
using FindTemplate = const KernelTemplate* (*)(const ir::Graph& graph, const ir::Node& node);

// The work of each node by itself, as our own kernel for it counts it with the setting of the fewest FLOPs; bytes are
// those of the whole group's operands and results. One launch.
Work work_of_nodes(const Group& group, FindTemplate template_for);

}  // namespace stitch::kernels

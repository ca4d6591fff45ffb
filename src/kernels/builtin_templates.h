// SPDX-License-Identifier: Apache-2.0
// Every kernel template there is.
#pragma once

#include <vector>

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

const std::vector<std::unique_ptr<KernelTemplate>>& builtin_templates();
// nullptr when there is none of that name.
const KernelTemplate* find_template(const std::string& name);
// The template whose root `node` is: the first that says so; nullptr when none does.
const KernelTemplate* template_for(const ir::Graph& graph, const ir::Node& node);

}  // namespace stitch::kernels

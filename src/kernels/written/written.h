// SPDX-License-Identifier: Apache-2.0
// Steps whose code somebody else wrote, behind one contract for every group: tensors are the operands, then the
// results; extents are those of the same tensors, in the same order. It is the root of no node by itself.
#pragma once

#include "kernels/template/kernel_template.h"
#include "kernels/written/node_work.h"

namespace stitch::kernels {

inline constexpr const char* kWrittenStep = "written";

bool is_written(const KernelTemplate& kernel);
// Its work is that of the kernels of ours that `template_for` finds for the nodes.
std::unique_ptr<KernelTemplate> make_written(FindTemplate template_for);

}  // namespace stitch::kernels

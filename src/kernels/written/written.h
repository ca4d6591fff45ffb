// SPDX-License-Identifier: Apache-2.0
// Steps whose code somebody else wrote, behind one contract for every group: tensors are the operands, then the
// results; extents are those of the same tensors, in the same order. It is the root of no node by itself.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

inline constexpr const char* kWrittenStep = "written";

bool is_written(const KernelTemplate& kernel);
std::unique_ptr<KernelTemplate> make_written();

}  // namespace stitch::kernels

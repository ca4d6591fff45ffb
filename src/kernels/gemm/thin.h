// SPDX-License-Identifier: Apache-2.0
// Settings "tf32x3_thin" and "tf32_thin": products of little depth, which write for longer than they multiply
// (runtime/kernels/gemm/mma_thin.cuh).
#pragma once

#include <string>
#include <vector>

#include "artifact/task/math_mode.h"
#include "kernels/gemm/problem.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Those for a product of fp32 operands; none where it is too deep.
std::vector<Setting> thin_settings(const Group& group, const GemmProblem& problem, MathMode math);
bool allows_thin(const Group& group, const GemmProblem& problem);
bool is_thin(const Setting& setting);
Work thin_work(const Group& group, const GemmProblem& problem, const Setting& setting);
// "stitch::Tf32x3, 32": the skeleton's arithmetic, and the depth that it is compiled for.
std::string thin_arguments(const GemmProblem& problem, const Setting& setting);

}  // namespace stitch::kernels

// SPDX-License-Identifier: Apache-2.0
// Setting "fp16x3_thin": products of fp32's class and little depth by wgmma, which write for longer than they multiply
// (runtime/kernels/gemm/wgmma_thin.cuh).
#pragma once

#include <string>
#include <vector>

#include "kernels/gemm/problem.h"
#include "kernels/template/device_limits.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// For a product of fp32 operands, in every mode; none for devices without wgmma, or where it is too deep.
std::vector<Setting> thin_planes_settings(const Group& group, const GemmProblem& problem, const DeviceLimits& limits);
bool allows_thin_planes(const Group& group, const GemmProblem& problem);
bool is_thin_planes(const Setting& setting);
Work thin_planes_work(const Group& group, const GemmProblem& problem);
// "stitch::launch_gemm_thin_planes<2", but for the layouts: chunks of the depth that the skeleton is compiled for.
std::string thin_planes_launch(const GemmProblem& problem);

}  // namespace stitch::kernels

// SPDX-License-Identifier: Apache-2.0
// Settings "fp16x3_...": products of fp32's class by wgmma, operands split into two fp16 planes first
// (runtime/kernels/gemm/wgmma.cuh).
#pragma once

#include <string>
#include <vector>

#include "kernels/gemm/problem.h"
#include "kernels/template/device_limits.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Those for a product of fp32 operands, in every mode; none for devices without wgmma, and where the product is too
// small to repay the split.
std::vector<Setting> planes_settings(const Group& group, const GemmProblem& problem, const DeviceLimits& limits);
bool allows_planes(const Group& group, const GemmProblem& problem, const Setting& setting);
// Whether b is one matrix that prepare() has, for a product that is made in each call.
bool may_keep_planes(const Group& group, const GemmProblem& problem);
bool is_planes(const Setting& setting);
// Whether b is split in prepare() and its planes kept, of a given weight that is one matrix.
bool keeps_planes(const Setting& setting);
Work planes_work(const Group& group, const GemmProblem& problem, const Setting& setting);
// "PlaneTileBroad", the skeleton's tile, and "128 x 256", its size.
std::string planes_tile(const Setting& setting);
std::string planes_tile_text(const Setting& setting);
// Of the planes that a call makes, an upper bound that follows each extent in a straight line.
int64_t planes_scratch_bytes(const GemmProblem& problem, const Setting& setting);
// The same of b's planes.
int64_t kept_planes_bytes(const GemmProblem& problem);

}  // namespace stitch::kernels

// SPDX-License-Identifier: Apache-2.0
// Settings "tf32x3_wgmma_...": products of fp32's class by wgmma in one launch, with lhs in registers and an rhs that
// prepare() has arranged (runtime/kernels/gemm/wgmma_registers.cuh). A setting's splits are the blocks of a cluster,
// which share the depth of a tile.
#pragma once

#include <string>
#include <vector>

#include "kernels/gemm/problem.h"
#include "kernels/template/device_limits.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Those for a product of fp32 operands whose rhs is given and whose lhs lies along K; none for devices without wgmma.
std::vector<Setting> register_settings(const Group& group, const GemmProblem& problem, const DeviceLimits& limits);
bool allows_registers(const Group& group, const GemmProblem& problem, const Setting& setting);
bool is_registers(const Setting& setting);
Work register_work(const Group& group, const GemmProblem& problem, const Setting& setting);
// "stitch::launch_gemm_kept_registers<stitch::RegisterTile<2, 64>, 4", but for the layouts.
std::string register_launch(const Setting& setting);
// The launch by which prepare() arranges the rhs: "stitch::launch_arrange_rhs<stitch::RegisterTile<2, 64>, ".
std::string register_arranging(const Setting& setting);
// Of the rhs as the kernel reads it.
int64_t register_kept_bytes(const GemmProblem& problem, const Setting& setting);
// "128 x 64", the tile's size.
std::string register_tile_text(const Setting& setting);

}  // namespace stitch::kernels

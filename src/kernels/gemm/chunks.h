// SPDX-License-Identifier: Apache-2.0
// Settings "fp16x3_..._chunks": products of fp32's class by wgmma in one launch, whose blocks split their operands into
// fp16 parts on the way (runtime/kernels/gemm/wgmma_chunks.cuh). A setting's splits are the blocks that share the depth
// of a tile.
#pragma once

#include <string>
#include <vector>

#include "kernels/gemm/problem.h"
#include "kernels/template/device_limits.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Those for a product of fp32 operands, in every mode; none for devices without wgmma.
std::vector<Setting> chunk_settings(const Group& group, const GemmProblem& problem, const DeviceLimits& limits);
bool allows_chunks(const Group& group, const GemmProblem& problem, const Setting& setting);
bool is_chunks(const Setting& setting);
// Whether b is split in prepare(), as planes that the product keeps.
bool chunks_keep_planes(const Setting& setting);
// Whether the parts of the depth are matrices of their own in scratch memory.
bool chunks_in_scratch(const Setting& setting);
Work chunk_work(const Group& group, const GemmProblem& problem, const Setting& setting);
// "stitch::launch_gemm_chunks<stitch::ChunkTileSquare, 2", but for the layouts.
std::string chunk_launch(const Setting& setting);
// "64 x 128", the tile's size.
std::string chunk_tile_text(const Setting& setting);

}  // namespace stitch::kernels

// SPDX-License-Identifier: Apache-2.0
// A command's share of the GPU's memory, which several commands divide among them.
#pragma once

#include <optional>

#include "driver/job/job.h"
#include "evaluate/processes/gpu_share.h"
#include "ir/graph/graph.h"
#include "toolchain/discovery/toolchain.h"

namespace stitch::driver {

// What a verdict on a program takes of a GPU's memory at most: four times what a call reads and writes (the program's
// own tensors, reference and runs), and what PyTorch and three processes take for themselves.
uint64_t gpu_bytes_of_verdict(const ir::Graph& graph);

// kEnvironment, with both figures, where the GPU never has so much.
Result<void> check_room_for_verdict(const ir::Graph& graph);
// Waits until that much is left; nothing where the GPU does not say what it has.
Result<std::optional<evaluate::GpuShare>> take_room_for_verdict(Job& job, const toolchain::Toolchain& tools,
                                                                const ir::Graph& graph);
// Waits until nobody else of ours is on the GPU: times taken beside others are none.
Result<std::optional<evaluate::GpuShare>> take_whole_gpu(Job& job, const toolchain::Toolchain& tools);

}  // namespace stitch::driver

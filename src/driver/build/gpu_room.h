// SPDX-License-Identifier: Apache-2.0
// A command's share of the GPU's memory, which several commands divide among them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "driver/job/job.h"
#include "evaluate/processes/gpu_share.h"
#include "ir/graph/graph.h"
#include "toolchain/discovery/toolchain.h"

namespace stitch::driver {

struct GpuMemory {
  std::string gpu;     // whose: its UUID; empty where it does not say
  uint64_t bytes = 0;  // all that it has; 0 where it does not say
};
GpuMemory memory_of_gpu();

// kEnvironment, with both figures, where the GPU never has what a verdict takes at least: the program's own tensors,
// their reference and a run, and what PyTorch and three processes take for themselves.
Result<void> check_room_for_verdict(const GpuMemory& memory, const ir::Graph& graph);
// Waits until as much is left as a verdict was ever seen to take; nothing where the GPU does not say what it has.
Result<std::optional<evaluate::GpuShare>> take_room_for_verdict(Job& job, const toolchain::Toolchain& tools,
                                                                const GpuMemory& memory, const ir::Graph& graph);
// Waits until nobody else of ours is on the GPU: times taken beside others are none.
Result<std::optional<evaluate::GpuShare>> take_whole_gpu(Job& job, const toolchain::Toolchain& tools,
                                                         const GpuMemory& memory);

}  // namespace stitch::driver

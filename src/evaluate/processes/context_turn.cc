// SPDX-License-Identifier: Apache-2.0
#include "evaluate/processes/context_turn.h"

#include "toolchain/discovery/visible_gpu.h"

namespace stitch::evaluate {

Result<ContextTurn> ContextTurn::take(DeviceKind device) {
  if (device != DeviceKind::kCuda) {
    return ContextTurn({});
  }
  const Result<std::string> gpu = toolchain::gpu_uuid();
  const std::string name = "gpu-" + (gpu.has_value() ? *gpu : "unknown") + ".context";
  STITCH_ASSIGN(FileSlot slot, FileSlot::take(node_folder() / name, kContextsAtOnce));
  return ContextTurn(std::optional(std::move(slot)));
}

}  // namespace stitch::evaluate

// SPDX-License-Identifier: Apache-2.0
// A turn to begin a CUDA context. A driver that is asked for many at once by many processes may not recover: 85 at once
// cost the authors of StitchCUDA theirs.
#pragma once

#include <optional>

#include "artifact/device_kind.h"
#include "base/fs/file_slot.h"

namespace stitch::evaluate {

inline constexpr int kContextsAtOnce = 4;  // of a GPU, among all processes of the machine

class ContextTurn {
 public:
  // Waits for it on a GPU; elsewhere there is nothing to wait for. To be kept until the process that begins the context
  // has answered.
  static Result<ContextTurn> take(DeviceKind device);

 private:
  explicit ContextTurn(std::optional<FileSlot> slot) : slot_(std::move(slot)) {}
  std::optional<FileSlot> slot_;
};

}  // namespace stitch::evaluate

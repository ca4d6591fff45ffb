// SPDX-License-Identifier: Apache-2.0
// Several runs that try texts on the emulated device of one machine: as many at once as have cores to themselves, in
// order of arrival; meanwhile others may wait for their models.
#pragma once

#include <optional>

#include "artifact/device_kind.h"
#include "driver/job/job.h"
#include "evaluate/processes/gpu_share.h"
#include "toolchain/discovery/toolchain.h"

namespace stitch::driver {

// Waits for the turn, which ends with the value; nothing for a GPU, whose memory and timings have queues of their own.
// Who has one must not take another.
Result<std::optional<evaluate::GpuShare>> take_emulated_turn(Job& job, const toolchain::Toolchain& tools,
                                                             DeviceKind device);

}  // namespace stitch::driver

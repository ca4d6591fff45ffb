// SPDX-License-Identifier: Apache-2.0
#include "driver/build/emulated_turn.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace stitch::driver {
namespace {

constexpr uint64_t kCoresOfATrial = 2;  // two draws run at once, and compilers beside each other

}  // namespace

Result<std::optional<evaluate::GpuShare>> take_emulated_turn(Job& job, const toolchain::Toolchain& tools,
                                                             DeviceKind device) {
  if (device == DeviceKind::kCuda) {
    return std::optional<evaluate::GpuShare>();
  }
  const uint64_t turns = std::max<uint64_t>(1, std::thread::hardware_concurrency() / kCoresOfATrial);
  const auto waiting = [&](uint64_t before) {
    job.progress().fact("device", fmt::format("waits for the emulated device: {} before it", before));
  };
  STITCH_ASSIGN(evaluate::GpuShare share, evaluate::GpuShare::take(tools.cache / "emulated.turns", 1, turns, waiting));
  return std::optional(std::move(share));
}

}  // namespace stitch::driver

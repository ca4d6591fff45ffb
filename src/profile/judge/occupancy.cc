// SPDX-License-Identifier: Apache-2.0
#include "profile/judge/occupancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stitch::profile {
namespace {

struct Architecture {
  const char* name;
  int threads;
  int blocks;
  int registers;
  int shared_bytes;
};

constexpr Architecture kArchitectures[] = {
#define STITCH_ARCHITECTURE(name, threads, blocks, registers, shared_bytes) \
  {name, threads, blocks, registers, shared_bytes},
#include "profile/judge/architectures.def"
#undef STITCH_ARCHITECTURE
};

constexpr int kWarp = 32;
constexpr int kRegisterUnit = 256;  // a warp's registers are handed out by that many
constexpr int kSchedulers = 4;      // each has its part of the registers, and whole warps in it
constexpr int kSharedUnit = 128;    // bytes
constexpr int kSystemShared = 1024;
constexpr double kMaxBlockThreads = 1024;
constexpr double kMaxRegisters = 255;

int rounded_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

// "sm_90a" is sm_90.
std::string_view plain(std::string_view name) { return name.substr(0, name.find_last_of("0123456789") + 1); }

const Architecture* find_architecture(std::string_view name) {
  const auto found = std::find_if(std::begin(kArchitectures), std::end(kArchitectures),
                                  [&](const Architecture& each) { return plain(name) == each.name; });
  return found == std::end(kArchitectures) ? nullptr : found;
}

bool is_between(std::optional<double> value, double low, double high) {
  return value.has_value() && *value >= low && *value <= high;
}

}  // namespace

Result<Occupancy> occupancy_of(const LaunchShape& shape, std::string_view name) {
  const Architecture* architecture = find_architecture(name);
  if (architecture == nullptr) {
    return failure(ErrorCode::kUsage, fmt::format("nothing is known of the multiprocessors of {}", name));
  }
  if (!is_between(shape.block_threads, 1, kMaxBlockThreads) || !is_between(shape.registers, 1, kMaxRegisters)) {
    return failure(ErrorCode::kUsage, "the threads of a block or their registers are unknown");
  }
  const double shared = shape.static_shared.value_or(0) + shape.dynamic_shared.value_or(0);
  if (!(shared >= 0 && shared + kSystemShared <= architecture->shared_bytes)) {
    return failure(ErrorCode::kProgramInvalid,
                   fmt::format("a block takes {:.0f} bytes of shared memory, more than {} has", shared, name));
  }
  const int warps = (static_cast<int>(*shape.block_threads) + kWarp - 1) / kWarp;
  const int warp_registers = rounded_up(static_cast<int>(*shape.registers) * kWarp, kRegisterUnit);
  const int warps_by_registers = architecture->registers / kSchedulers / warp_registers * kSchedulers;
  const int block_shared = rounded_up(static_cast<int>(shared), kSharedUnit) + kSystemShared;
  // In the order in which a tie is told: what a kernel's author can change first.
  const std::pair<const char*, int> limits[] = {{"registers", warps_by_registers / warps},
                                                {"shared memory", architecture->shared_bytes / block_shared},
                                                {"threads", architecture->threads / kWarp / warps},
                                                {"block slots", architecture->blocks}};
  const auto least = std::min_element(std::begin(limits), std::end(limits),
                                      [](const auto& left, const auto& right) { return left.second < right.second; });
  if (least->second == 0) {
    return failure(ErrorCode::kProgramInvalid,
                   fmt::format("a block of {} warps with {:.0f} registers a thread does not fit {}", warps,
                               *shape.registers, name));
  }
  const double all_warps = static_cast<double>(architecture->threads) / kWarp;
  return Occupancy{least->second, std::min(1.0, least->second * warps / all_warps), least->first};
}

}  // namespace stitch::profile

// SPDX-License-Identifier: Apache-2.0
#include "evaluate/timing/clocks.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <vector>

namespace stitch::evaluate {
namespace {

// Bits of nvmlClocksThrottleReasons that slow a GPU down under load.
constexpr uint64_t kHardwareSlowdown = 0x8;
constexpr uint64_t kSoftwareThermal = 0x20;
constexpr uint64_t kHardwareThermal = 0x40;
constexpr uint64_t kPowerBrake = 0x80;
constexpr double kMaxChange = 0.1;

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  for (const char letter : line) {
    if (letter == ',') {
      fields.emplace_back();
    } else if (letter != ' ' && letter != '\n' && letter != '\r') {
      fields.back() += letter;
    }
  }
  return fields;
}

const char* name_of(uint64_t reasons) {
  if ((reasons & (kSoftwareThermal | kHardwareThermal)) != 0) {
    return "its temperature";
  }
  return (reasons & kPowerBrake) != 0 ? "its power brake" : "its hardware";
}

}  // namespace

Result<Clocks> parse_clocks(std::string_view line) {
  constexpr size_t kFields = 6;
  const std::vector<std::string> fields = fields_of(line);
  double values[kFields] = {};
  bool good = fields.size() == kFields;
  for (size_t i = 0; good && i < kFields; ++i) {
    if (fields[i] == "[N/A]" || fields[i] == "[NotSupported]") {
      continue;
    }
    char* end = nullptr;
    values[i] = i + 1 == kFields ? static_cast<double>(std::strtoull(fields[i].c_str(), &end, 16))
                                 : std::strtod(fields[i].c_str(), &end);
    good = !fields[i].empty() && *end == '\0' && std::isfinite(values[i]);
  }
  if (!good) {
    return failure(ErrorCode::kEnvironment, fmt::format("nvidia-smi's line of clocks cannot be read: \"{}\"", line));
  }
  return Clocks{values[0], values[1], values[2], values[3], values[4], static_cast<uint64_t>(values[5])};
}

std::string clock_refusal(const Clocks& before, const Clocks& after) {
  constexpr uint64_t kBad = kHardwareSlowdown | kSoftwareThermal | kHardwareThermal | kPowerBrake;
  if (const uint64_t reasons = (before.throttle_reasons | after.throttle_reasons) & kBad; reasons != 0) {
    return fmt::format("the GPU was slowed down by {}", name_of(reasons));
  }
  if (before.sm_mhz > 0 && after.sm_mhz > 0 && std::abs(after.sm_mhz - before.sm_mhz) > kMaxChange * before.sm_mhz) {
    return fmt::format("the GPU's clock went from {:.0f} to {:.0f} MHz", before.sm_mhz, after.sm_mhz);
  }
  return {};
}

}  // namespace stitch::evaluate

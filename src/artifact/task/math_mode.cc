// SPDX-License-Identifier: Apache-2.0
#include "artifact/task/math_mode.h"

#include <array>
#include <string>

namespace stitch {
namespace {

constexpr std::array<const char*, 4> kNames = {"fp32", "kernelbench", "tf32", "reduced"};

}  // namespace

const char* to_string(MathMode mode) { return kNames[static_cast<size_t>(mode)]; }

Result<MathMode> math_mode_from_string(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i]) {
      return static_cast<MathMode>(i);
    }
  }
  return failure(ErrorCode::kUsage, "\"" + std::string(name) + "\" is not a math mode", "--math",
                 "use one of fp32, kernelbench, tf32, reduced");
}

}  // namespace stitch

// SPDX-License-Identifier: Apache-2.0
#include "artifact/task/math_mode.h"

#include <fmt/format.h>

#include <array>
#include <string>

namespace stitch {
namespace {

constexpr std::array kNames = {
#define STITCH_MATH_MODE(enumerator, name, tf32_products, tf32_convolutions) #name,
#include "../python/stitchcuda_python/vocabulary/math_modes.def"
#undef STITCH_MATH_MODE
};

constexpr std::array kModes = {
#define STITCH_MATH_MODE(enumerator, name, tf32_products, tf32_convolutions) MathMode::enumerator,
#include "../python/stitchcuda_python/vocabulary/math_modes.def"
#undef STITCH_MATH_MODE
};

constexpr bool are_in_order() {
  for (size_t i = 0; i < kModes.size(); ++i) {
    if (kModes[i] != static_cast<MathMode>(i)) {
      return false;
    }
  }
  return true;
}
static_assert(are_in_order());

}  // namespace

const char* to_string(MathMode mode) { return kNames[static_cast<size_t>(mode)]; }

Result<MathMode> math_mode_from_string(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i]) {
      return static_cast<MathMode>(i);
    }
  }
  return failure(ErrorCode::kUsage, "\"" + std::string(name) + "\" is not a math mode", "--math",
                 fmt::format("use one of {}", fmt::join(kNames, ", ")));
}

}  // namespace stitch

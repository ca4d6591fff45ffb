// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ir/ops/support/checks.h"

namespace stitch::ir {

int64_t WindowAxis::output_extent(int64_t extent) const {
  const int64_t last = extent + 2 * padding - 1;
  if (last < 0 || kernel - 1 > last / dilation) {  // divided: the product may be more than a number holds
    return 0;
  }
  const int64_t room = last - dilation * (kernel - 1);
  int64_t positions = room / stride + 1;
  // With ceil_mode a last, partial window counts if it starts inside the input or its leading padding.
  if (ceil_mode && room % stride != 0 && positions * stride < extent + padding) {
    ++positions;
  }
  return positions;
}

Result<std::vector<int64_t>> axes_attribute(const Node& node, const char* name, size_t axes, int64_t minimum) {
  static constexpr const char* kNumbers[] = {"no numbers", "one number", "two numbers", "three numbers"};
  const std::vector<int64_t>& values = ints_attribute(node, name);
  constexpr int64_t kMaxNumber = std::numeric_limits<int32_t>::max();
  const auto fits = [&](int64_t value) { return value >= minimum && value <= kMaxNumber; };
  STITCH_TRY(require(values.size() == axes && std::all_of(values.begin(), values.end(), fits),
                     fmt::format("{} {} is not {} of at least {} and at most {}", name, to_string(values),
                                 kNumbers[axes], minimum, kMaxNumber)));
  return values;
}

}  // namespace stitch::ir

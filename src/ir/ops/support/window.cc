// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/window.h"

#include <fmt/format.h>

#include "ir/ops/support/checks.h"

namespace stitch::ir {

int64_t WindowAxis::output_extent(int64_t extent) const {
  const int64_t span = dilation * (kernel - 1) + 1;
  const int64_t room = extent + 2 * padding - span;
  if (room < 0) {
    return 0;
  }
  int64_t positions = room / stride + 1;
  // With ceil_mode a last, partial window counts if it starts inside the input or its leading padding.
  if (ceil_mode && room % stride != 0 && positions * stride < extent + padding) {
    ++positions;
  }
  return positions;
}

Result<std::array<int64_t, 2>> pair_attribute(const Node& node, const char* name, int64_t minimum) {
  const std::vector<int64_t>& values = ints_attribute(node, name);
  STITCH_TRY(require(values.size() == 2 && values[0] >= minimum && values[1] >= minimum,
                     fmt::format("{} {} is not two numbers of at least {}", name, to_string(values), minimum)));
  return std::array<int64_t, 2>{values[0], values[1]};
}

}  // namespace stitch::ir

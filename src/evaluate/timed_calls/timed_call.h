// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stitch::evaluate {

// One call of a burst: in which set of buffers it is made, and what contents that set is given.
struct TimedCall {
  size_t set = 0;
  size_t draw = 0;
  size_t second = 0;              // of a mix: the other draw
  std::vector<uint64_t> seeds{};  // of a mix, one for each input, then state; none: the draw as it is
  bool is_mixed() const { return !seeds.empty(); }
};

using BurstCalls = std::vector<TimedCall>;

}  // namespace stitch::evaluate

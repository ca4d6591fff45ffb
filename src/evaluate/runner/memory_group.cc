// SPDX-License-Identifier: Apache-2.0
#include "evaluate/runner/memory_group.h"

namespace stitch::evaluate {

GroupLayout lay_out(const std::vector<uint64_t>& sizes) {
  constexpr uint64_t kAlignment = 256;
  GroupLayout layout;
  for (const uint64_t size : sizes) {
    layout.offsets.push_back(layout.total_bytes);
    layout.total_bytes += (size + kAlignment - 1) / kAlignment * kAlignment + kAlignment;
  }
  return layout;
}

}  // namespace stitch::evaluate

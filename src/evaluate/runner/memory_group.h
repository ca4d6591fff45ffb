// SPDX-License-Identifier: Apache-2.0
// Tensors that live together in one of the keeper's blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "wire/messages/tensor_argument.h"

namespace stitch::evaluate {

struct MemoryGroup {
  uint64_t block = 0;  // 0: none yet
  std::vector<uint64_t> sizes;
  std::vector<wire::Region> regions;  // one for each size
};

// Offsets for these sizes, 256-byte aligned, with a gap after each so that neighbours do not touch; and the sum.
struct GroupLayout {
  std::vector<uint64_t> offsets;
  uint64_t total_bytes = 0;
};
GroupLayout lay_out(const std::vector<uint64_t>& sizes);

}  // namespace stitch::evaluate

// SPDX-License-Identifier: Apache-2.0
// Tensors that live together in one of the keeper's blocks, each between two red zones: memory that belongs to nobody
// and must be after a call what it was before. Where in the block they lie differs from call to call.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "wire/messages/tensor_argument.h"

namespace stitch::evaluate {

struct MemoryGroup {
  uint64_t block = 0;  // 0: none yet
  std::vector<uint64_t> sizes;
  std::vector<wire::Region> regions;    // one for each size
  std::vector<wire::Region> red_zones;  // before each of them, and behind the last one
};

// What the C ABI promises of a tensor's address, and of workspace and prepared memory.
inline constexpr uint64_t kTensorAlignment = 16;
inline constexpr uint64_t kBlockAlignment = 256;

// Bytes of a block that has room for these sizes wherever they are put.
uint64_t room_for(const std::vector<uint64_t>& sizes);

// New places for group.sizes: multiples of `alignment`, drawn from `random`.
void lay_out(MemoryGroup& group, uint64_t alignment, std::mt19937_64& random);

}  // namespace stitch::evaluate

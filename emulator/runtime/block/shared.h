// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "stitch_emulator/shared.h"

namespace stitch_emulator {

// Before a launch: forgets the last launch's slots.
void prepare_shared(size_t dynamic_bytes, bool opted_in);
// Before each block.
void refill_shared();
// That of a block that another one of its cluster runs instead of.
struct SharedImage {
  std::vector<char> bytes;  // by shared-memory address
  int slot_count = 0;
};
void save_shared(SharedImage& image);
void load_shared(const SharedImage& image);
// Whether a block of this launch has that many bytes of shared memory at a shared-memory address.
bool is_shared_range(uint32_t offset, size_t bytes);
// Static shared memory the last launch declared.
size_t declared_shared_bytes();

constexpr uint64_t kNotShared = ~uint64_t{0};
// From the start of shared memory, where the dynamic one follows the static one.
uint64_t shared_place(uintptr_t address);

}  // namespace stitch_emulator

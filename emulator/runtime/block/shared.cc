// SPDX-License-Identifier: Apache-2.0
// The block's shared memory. Blocks run one after another, so one arena serves them all. Its contents are undefined at
// the start of each block: they are bytes of NaN, and in a random order sometimes ordinary numbers, since a kernel that
// repairs NaN would hide that it read them.
#include "block/shared.h"

#include <cstdio>
#include <cstring>

#include "block/state.h"
#include "control/counts.h"
#include "fault/fault.h"
#include "fiber/sanitizer.h"

namespace stitch_emulator {
namespace {

constexpr size_t kArenaBytes = 256 * 1024;
constexpr size_t kRedZone = kChecked ? 64 : 0;
constexpr int kNanByte = 0xff;
constexpr int kOrdinaryByte = 0x3f;  // 0.747 in four bytes

alignas(1024) char static_arena[kArenaBytes];

struct Use {
  size_t dynamic_bytes = 0;
  bool opted_in = false;
  size_t declared_bytes = 0;  // without red zones
  size_t arena_bytes = 0;
  int slot_count = 0;
};
Use use;

// The slots of this launch, to be filled anew for each block.
constexpr int kMaxSlots = 1024;
const SharedSlot* slots[kMaxSlots];

void fill_undefined(void* memory, size_t bytes) {
  const bool ordinary = block.random != 0 && random_bits() % 2 == 0;
  memset(memory, ordinary ? kOrdinaryByte : kNanByte, bytes);
}

void check_limits(const char* name, const char* file, int line) {
  char message[512];
  const stitch_emulator_limits& limits = settings.limits;
  if (use.declared_bytes > limits.static_shared_bytes) {
    snprintf(message, sizeof(message),
             "static shared memory of %zu bytes, up to and including '%s', exceeds the limit of %zu bytes; use extern "
             "__shared__ and cudaFuncAttributeMaxDynamicSharedMemorySize for more",
             use.declared_bytes, name, limits.static_shared_bytes);
    fault(message, file, line);
  }
  const size_t total = use.declared_bytes + use.dynamic_bytes;
  const size_t limit = use.opted_in ? limits.opt_in_shared_bytes : limits.static_shared_bytes;
  if (total > limit) {
    snprintf(message, sizeof(message),
             "shared memory of %zu bytes (%zu static, %zu dynamic) exceeds the limit of %zu bytes", total,
             use.declared_bytes, use.dynamic_bytes, limit);
    fault(message, file, line);
  }
}

}  // namespace

void prepare_shared(size_t dynamic_bytes, bool opted_in) {
  use = {dynamic_bytes, opted_in, 0, 0, 0};
  ++stitch_launch_number;
  poison(static_arena, kArenaBytes);
  poison(stitch_dynamic_shared, kArenaBytes);
  unpoison(stitch_dynamic_shared, dynamic_bytes);
}

void refill_shared() {
  for (int i = 0; i < use.slot_count; ++i) {
    fill_undefined(slots[i]->address, slots[i]->bytes);
  }
  fill_undefined(stitch_dynamic_shared, use.dynamic_bytes);
}

void save_shared(SharedImage& image) {
  image.bytes.resize(2 * kArenaBytes);
  image.slot_count = use.slot_count;
  for (int i = 0; i < use.slot_count; ++i) {
    const auto* address = static_cast<const char*>(slots[i]->address);
    memcpy(image.bytes.data() + (address - static_arena), address, slots[i]->bytes);
  }
  memcpy(image.bytes.data() + kArenaBytes, stitch_dynamic_shared, use.dynamic_bytes);
}

void load_shared(const SharedImage& image) {
  for (int i = 0; i < use.slot_count; ++i) {
    auto* address = static_cast<char*>(slots[i]->address);
    if (i < image.slot_count) {
      memcpy(address, image.bytes.data() + (address - static_arena), slots[i]->bytes);
    } else {
      fill_undefined(address, slots[i]->bytes);
    }
  }
  memcpy(stitch_dynamic_shared, image.bytes.data() + kArenaBytes, use.dynamic_bytes);
}

bool is_shared_range(uint32_t offset, size_t bytes) {
  return offset < kArenaBytes ? offset + bytes <= use.arena_bytes : offset - kArenaBytes + bytes <= use.dynamic_bytes;
}

size_t declared_shared_bytes() { return use.declared_bytes; }

uint64_t shared_place(uintptr_t address) {
  const auto in_static = address - reinterpret_cast<uintptr_t>(static_arena);
  if (in_static < kArenaBytes) {
    return in_static;
  }
  const auto in_dynamic = address - reinterpret_cast<uintptr_t>(stitch_dynamic_shared);
  return in_dynamic < kArenaBytes ? kArenaBytes + in_dynamic : kNotShared;
}

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

uint64_t stitch_launch_number = 1;  // never a slot's initial 0
alignas(1024) char stitch_dynamic_shared[kArenaBytes];

void stitch_shared_place(SharedSlot* slot, const char* name, const char* file, int line) {
  if (!inside_block()) {
    host_fault("a __shared__ variable was used outside a kernel", file, line);
  }
  const size_t alignment = slot->alignment < 16 ? 16 : slot->alignment;
  const size_t start = (use.arena_bytes + kRedZone + alignment - 1) / alignment * alignment;
  const size_t packed = (use.declared_bytes + slot->alignment - 1) / slot->alignment * slot->alignment;
  use.declared_bytes = packed + slot->bytes;
  check_limits(name, file, line);
  if (start + slot->bytes + kRedZone > kArenaBytes || use.slot_count == kMaxSlots) {
    fault("the shared memory of this block does not fit in the emulator's arena", file, line);
  }
  use.arena_bytes = start + slot->bytes;
  slot->address = static_arena + start;
  slot->launch = stitch_launch_number;
  slots[use.slot_count++] = slot;
  unpoison(slot->address, slot->bytes);
  fill_undefined(slot->address, slot->bytes);
}

bool stitch_is_shared(const void* address) {
  const auto* byte = static_cast<const char*>(address);
  return (byte >= static_arena && byte < static_arena + kArenaBytes) ||
         (byte >= stitch_dynamic_shared && byte < stitch_dynamic_shared + kArenaBytes);
}

// The two arenas follow each other in the 32-bit shared address space.
uint32_t stitch_shared_offset(const void* address, const char* file, int line) {
  const auto* byte = static_cast<const char*>(address);
  if (byte >= static_arena && byte <= static_arena + kArenaBytes) {
    return static_cast<uint32_t>(byte - static_arena);
  }
  if (byte >= stitch_dynamic_shared && byte <= stitch_dynamic_shared + kArenaBytes) {
    return static_cast<uint32_t>(byte - stitch_dynamic_shared + kArenaBytes);
  }
  fault("a pointer that does not lead into shared memory was converted to a shared-memory address", file, line);
}

void* stitch_shared_pointer(uint32_t offset) {
  return offset < kArenaBytes ? static_arena + offset : stitch_dynamic_shared + (offset - kArenaBytes);
}

}  // extern "C"

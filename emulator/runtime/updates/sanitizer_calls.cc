// SPDX-License-Identifier: Apache-2.0
// What checked programs call before each access: linked with --wrap, they find these in place of AddressSanitizer's own
// functions, called first where its shadow is not clear, so that memory that may not be read is not read here either.
#include "block/state.h"
#include "fiber/fiber.h"
#include "updates/lost_updates.h"

#ifdef __SANITIZE_ADDRESS__

namespace stitch_emulator {
namespace {

// On x86-64: a byte of shadow for eight of memory; 0 means that all eight may be accessed.
constexpr uintptr_t kShadowOffset = 0x7fff8000;
constexpr uintptr_t kGranule = 8;

__attribute__((no_sanitize("address", "undefined"))) inline bool is_clear(uintptr_t address, size_t bytes) {
  const auto* first = reinterpret_cast<const signed char*>(address / kGranule + kShadowOffset);
  const auto* last = reinterpret_cast<const signed char*>((address + bytes - 1) / kGranule + kShadowOffset);
  return *first == 0 && *last == 0 && last - first <= 1;
}

// Most accesses are to a thread's own stack, which no other thread changes.
__attribute__((no_sanitize("address", "undefined"))) inline bool is_of_interest(uintptr_t address) {
  return in_block && address - stacks.start >= stacks.bytes;
}

}  // namespace
}  // namespace stitch_emulator

using namespace stitch_emulator;

#define STITCH_CALLER (reinterpret_cast<uintptr_t>(__builtin_return_address(0)) - 1)
#define STITCH_NOTE_READ(BYTES) note_read(reinterpret_cast<const void*>(address), BYTES, STITCH_CALLER)
#define STITCH_NOTE_WRITE(BYTES) note_write(reinterpret_cast<const void*>(address), BYTES, STITCH_CALLER)
#define STITCH_UNCHECKED __attribute__((no_sanitize("address", "undefined")))
#define STITCH_WRAP(KIND, NOTE, BYTES)                                              \
  extern "C" void __real___asan_##KIND##BYTES(uintptr_t address);                   \
  extern "C" STITCH_UNCHECKED void __wrap___asan_##KIND##BYTES(uintptr_t address) { \
    if (!is_clear(address, BYTES)) {                                                \
      __real___asan_##KIND##BYTES(address);                                         \
    }                                                                               \
    if (is_of_interest(address)) {                                                  \
      NOTE(BYTES);                                                                  \
    }                                                                               \
  }
STITCH_WRAP(load, STITCH_NOTE_READ, 1)
STITCH_WRAP(load, STITCH_NOTE_READ, 2)
STITCH_WRAP(load, STITCH_NOTE_READ, 4)
STITCH_WRAP(load, STITCH_NOTE_READ, 8)
STITCH_WRAP(load, STITCH_NOTE_READ, 16)
STITCH_WRAP(store, STITCH_NOTE_WRITE, 1)
STITCH_WRAP(store, STITCH_NOTE_WRITE, 2)
STITCH_WRAP(store, STITCH_NOTE_WRITE, 4)
STITCH_WRAP(store, STITCH_NOTE_WRITE, 8)
STITCH_WRAP(store, STITCH_NOTE_WRITE, 16)
#undef STITCH_WRAP
#undef STITCH_UNCHECKED

extern "C" {

void __real___asan_loadN(uintptr_t address, size_t bytes);
void __real___asan_storeN(uintptr_t address, size_t bytes);

void __wrap___asan_loadN(uintptr_t address, size_t bytes) {
  __real___asan_loadN(address, bytes);
  if (is_of_interest(address)) {
    STITCH_NOTE_READ(bytes);
  }
}

void __wrap___asan_storeN(uintptr_t address, size_t bytes) {
  __real___asan_storeN(address, bytes);
  if (is_of_interest(address)) {
    STITCH_NOTE_WRITE(bytes);
  }
}

}  // extern "C"

#endif

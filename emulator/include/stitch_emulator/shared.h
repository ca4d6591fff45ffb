// SPDX-License-Identifier: Apache-2.0
// Shared memory. The rewriter turns `__shared__ float tile[8];` into a local struct that holds the declaration and a
// reference into this block's arena; the struct's type, one per enclosing function instance, is the slot's identity.
#pragma once

#include "stitch_emulator/count.h"
#include "stitch_emulator/language.h"

namespace stitch_emulator {

// Where one declaration lives during the present launch; its address in the arena is found once a launch.
struct SharedSlot {
  uint64_t launch;
  void* address;
  size_t bytes;
  size_t alignment;
};

}  // namespace stitch_emulator

extern "C" {
extern uint64_t stitch_launch_number;
void stitch_shared_place(stitch_emulator::SharedSlot* slot, const char* name, const char* file, int line);
// Dynamic shared memory starts at one fixed address, so `extern __shared__` works at any scope.
extern char stitch_dynamic_shared[];
}

namespace stitch_emulator {

template <class Declaration>
STITCH_UNMARKED inline Declaration& shared(const char* name, STITCH_PLACE) {
  static constinit SharedSlot slot{0, nullptr, sizeof(Declaration), alignof(Declaration)};
  if (__builtin_expect(slot.launch != stitch_launch_number, 0)) {
    stitch_shared_place(&slot, name, STITCH_PLACE_ARGUMENTS);
  }
  return *static_cast<Declaration*>(slot.address);
}

// Becomes whatever `extern __shared__ T name[]` declares.
struct DynamicShared {
  template <class T>
  operator T&() const {
    return *reinterpret_cast<T*>(stitch_dynamic_shared);
  }
};

}  // namespace stitch_emulator

#define STITCH_JOIN_WORDS(A, B) A##B
#define STITCH_JOIN(A, B) STITCH_JOIN_WORDS(A, B)
#define STITCH_TEXT_OF(...) #__VA_ARGS__
#define STITCH_TEXT(...) STITCH_TEXT_OF(__VA_ARGS__)
#define STITCH_SHARED(NAME, ...)             \
  struct STITCH_JOIN(stitch_shared_, NAME) { \
    __VA_ARGS__;                             \
  };                                         \
  auto& NAME = ::stitch_emulator::shared<STITCH_JOIN(stitch_shared_, NAME)>(STITCH_TEXT(NAME)).NAME

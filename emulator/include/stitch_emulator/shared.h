// SPDX-License-Identifier: Apache-2.0
// Shared memory. The rewriter turns `__shared__ float tile[8];` into a local struct that holds the declaration and a
// reference into this block's arena; the struct's type, one per enclosing function instance, is the slot's identity.
#pragma once

#include "stitch_emulator/language.h"

namespace stitch_emulator {

// Where one declaration lives during the present launch. Kept as plain data: an arena address is found once a launch.
struct SharedSlot {
  uint64_t launch;
  void* address;
  size_t bytes;
  size_t alignment;
  const char* name;
  const char* file;
  int line;
};

}  // namespace stitch_emulator

extern "C" {
extern uint64_t stitch_launch_number;
void stitch_shared_place(stitch_emulator::SharedSlot* slot);
// Dynamic shared memory starts at one fixed address, so `extern __shared__` works at any scope.
extern char stitch_dynamic_shared[];
}

namespace stitch_emulator {

template <class Declaration>
inline Declaration& shared(const char* name, STITCH_PLACE) {
  static SharedSlot slot{0, nullptr, sizeof(Declaration), alignof(Declaration), name, stitch_file, stitch_line};
  if (slot.launch != stitch_launch_number) {
    stitch_shared_place(&slot);
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

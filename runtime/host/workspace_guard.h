// SPDX-License-Identifier: Apache-2.0
// Under AddressSanitizer a step sees, of the workspace, only its own operands, results and scratch memory: an access
// beyond them is an error although the arena is one allocation and its neighbours are valid memory. Kernels of the
// emulated device have ended when their launch returns, so a step can be fenced in from here. Elsewhere: nothing.
#pragma once

#include <stdint.h>

#ifdef __SANITIZE_ADDRESS__
extern "C" void __asan_poison_memory_region(const volatile void* memory, decltype(sizeof(0)) bytes);
extern "C" void __asan_unpoison_memory_region(const volatile void* memory, decltype(sizeof(0)) bytes);
#endif

namespace stitch {

class WorkspaceGuard {
 public:
  WorkspaceGuard(void* memory, uint64_t bytes) : memory_(static_cast<char*>(memory)), bytes_(bytes) {}
  WorkspaceGuard(const WorkspaceGuard&) = delete;
  WorkspaceGuard& operator=(const WorkspaceGuard&) = delete;
  ~WorkspaceGuard() { open(0, bytes_); }

  // Nothing may be touched until it is opened again.
#ifdef __SANITIZE_ADDRESS__
  void close() {
    if (memory_ != nullptr) {
      __asan_poison_memory_region(memory_, bytes_);
    }
  }
  void open(uint64_t offset, uint64_t bytes) {
    if (memory_ != nullptr && bytes > 0) {
      __asan_unpoison_memory_region(memory_ + offset, bytes);
    }
  }
#else
  void close() {}
  void open(uint64_t, uint64_t) {}
#endif

 private:
  char* memory_;
  uint64_t bytes_;
};

}  // namespace stitch

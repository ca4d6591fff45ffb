// SPDX-License-Identifier: Apache-2.0
#include "fiber/fiber.h"

#include <sys/mman.h>

#include "fiber/sanitizer.h"

namespace stitch_emulator {

Fiber host_fiber;
Fiber* current_fiber = &host_fiber;
Stacks stacks;

namespace {

constexpr int kThreadsOfBlock = 1024;
constexpr int kSpareFibers = 8;
constexpr int kMaxFibers = 8 * kThreadsOfBlock + kSpareFibers;  // of a cluster's eight blocks
// Instrumented code needs more room for its red zones.
constexpr size_t kStackBytes = (kChecked ? 256 : 64) * 1024;
constexpr size_t kGuardBytes = 4096;
constexpr size_t kSlotBytes = kStackBytes + kGuardBytes;

struct Pool {
  char* base = nullptr;
  int reserved = 0;
  int made = 0;
  Fiber fibers[kMaxFibers];
  Fiber* idle[kMaxFibers];
  int idle_count = 0;
  FiberMain main = nullptr;
};

Pool pool;

void fiber_entry() {
  after_switch(current_fiber);
  pool.main();
}

// Stacks that all begin at the same offset in their page would share a few sets of the first-level cache.
size_t stagger(int number) { return (static_cast<size_t>(number) * 5 % 61) * 64; }

void restart(Fiber* fiber) {
  const auto number = static_cast<int>(fiber - pool.fibers);
  const size_t offset = stagger(number);
  unpoison(fiber->stack_bottom, kStackBytes);
  fiber->context = make_context(fiber->stack_bottom + kStackBytes - offset, kStackBytes - offset, fiber_entry);
  fiber->fake_stack = nullptr;
}

Fiber* make_fiber() {
  if (!reserve_fibers(kThreadsOfBlock) || pool.made == pool.reserved) {
    return nullptr;
  }
  char* bottom = pool.base + kSlotBytes * static_cast<size_t>(pool.made) + kGuardBytes;
  if (mprotect(bottom, kStackBytes, PROT_READ | PROT_WRITE) != 0) {
    return nullptr;
  }
  Fiber* fiber = &pool.fibers[pool.made++];
  fiber->stack_bottom = bottom;
  fiber->stack_bytes = kStackBytes;
  restart(fiber);
  return fiber;
}

}  // namespace

void set_fiber_main(FiberMain main) { pool.main = main; }

bool reserve_fibers(int count) {
  const int wanted = count + kSpareFibers < kMaxFibers ? count + kSpareFibers : kMaxFibers;
  if (wanted <= pool.reserved) {
    return true;
  }
  const size_t bytes = kSlotBytes * static_cast<size_t>(wanted);
  void* base = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) {
    return false;
  }
  if (pool.base != nullptr) {
    munmap(pool.base, stacks.bytes);
  }
  pool.base = static_cast<char*>(base);
  pool.reserved = wanted;
  pool.made = 0;
  pool.idle_count = 0;
  stacks = {reinterpret_cast<uintptr_t>(base), bytes};
  return true;
}

Fiber* take_fiber() { return pool.idle_count > 0 ? pool.idle[--pool.idle_count] : make_fiber(); }

void give_back_fiber(Fiber* fiber) { pool.idle[pool.idle_count++] = fiber; }

void abandon_fibers() {
  pool.idle_count = 0;
  for (int i = 0; i < pool.made; ++i) {
    restart(&pool.fibers[i]);
    pool.idle[pool.idle_count++] = &pool.fibers[i];
  }
}

#ifdef __SANITIZE_ADDRESS__

namespace {
Fiber* previous_fiber = nullptr;
}

void before_switch(Fiber* self, Fiber* target) {
  previous_fiber = self;
  __sanitizer_start_switch_fiber(&self->fake_stack, target->stack_bottom, target->stack_bytes);
}

void after_switch(Fiber* self) {
  const void* bottom = nullptr;
  size_t bytes = 0;
  __sanitizer_finish_switch_fiber(self->fake_stack, &bottom, &bytes);
  if (previous_fiber == &host_fiber) {
    host_fiber.stack_bottom = static_cast<char*>(const_cast<void*>(bottom));
    host_fiber.stack_bytes = bytes;
  }
}

#endif

bool in_guard_page(const void* address) {
  const auto* byte = static_cast<const char*>(address);
  if (pool.base == nullptr || byte < pool.base || byte >= pool.base + stacks.bytes) {
    return false;
  }
  return static_cast<size_t>(byte - pool.base) % kSlotBytes < kGuardBytes;
}

}  // namespace stitch_emulator

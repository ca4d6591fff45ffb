// SPDX-License-Identifier: Apache-2.0
#include "fiber/fiber.h"

#include <sys/mman.h>

#include <cstdint>

#include "fiber/sanitizer.h"

namespace stitch_emulator {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

constexpr int kMostFibers = 1024 + 8;
// Instrumented code needs more room for its red zones.
constexpr size_t kStackBytes = (kChecked ? 256 : 64) * 1024;
constexpr size_t kGuardBytes = 4096;
constexpr size_t kSlotBytes = kStackBytes + kGuardBytes;

struct Pool {
  char* base = nullptr;
  int made = 0;
  Fiber fibers[kMostFibers];
  Fiber* idle[kMostFibers];
  int idle_count = 0;
  Fiber host;
  Fiber* current = nullptr;
  FiberMain main = nullptr;
};

Pool pool;

void after_switch([[maybe_unused]] Fiber* self, transfer_t transfer) {
  auto* previous = static_cast<Fiber*>(transfer.data);
  previous->context = transfer.fctx;
#ifdef __SANITIZE_ADDRESS__
  const void* bottom = nullptr;
  size_t bytes = 0;
  __sanitizer_finish_switch_fiber(self->fake_stack, &bottom, &bytes);
  if (previous == &pool.host) {
    pool.host.stack_bottom = static_cast<char*>(const_cast<void*>(bottom));
    pool.host.stack_bytes = bytes;
  }
#endif
}

void fiber_entry(transfer_t transfer) {
  after_switch(pool.current, transfer);
  pool.main();
}

// Stacks that all begin at the same offset in their page would share a few sets of the first-level cache.
size_t stagger(int number) { return (static_cast<size_t>(number) * 5 % 61) * 64; }

void restart(Fiber* fiber) {
  const auto number = static_cast<int>(fiber - pool.fibers);
  const size_t offset = stagger(number);
  fiber->context =
      make_fcontext(fiber->stack_bottom + kStackBytes - offset, kStackBytes - offset, fiber_entry);
  fiber->fake_stack = nullptr;
  unpoison(fiber->stack_bottom, kStackBytes);
}

Fiber* make_fiber() {
  if (pool.base == nullptr) {
    void* base = mmap(nullptr, kSlotBytes * kMostFibers, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
      return nullptr;
    }
    pool.base = static_cast<char*>(base);
  }
  if (pool.made == kMostFibers) {
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

Fiber& host_fiber() { return pool.host; }

Fiber* current_fiber() { return pool.current == nullptr ? &pool.host : pool.current; }

void set_fiber_main(FiberMain main) { pool.main = main; }

Fiber* take_fiber() { return pool.idle_count > 0 ? pool.idle[--pool.idle_count] : make_fiber(); }

void give_back_fiber(Fiber* fiber) { pool.idle[pool.idle_count++] = fiber; }

void abandon_fibers() {
  pool.idle_count = 0;
  for (int i = 0; i < pool.made; ++i) {
    restart(&pool.fibers[i]);
    pool.idle[pool.idle_count++] = &pool.fibers[i];
  }
}

void switch_to(Fiber* target) {
  Fiber* self = current_fiber();
  pool.current = target;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&self->fake_stack, target->stack_bottom, target->stack_bytes);
#endif
  after_switch(self, jump_fcontext(target->context, self));
}

bool in_guard_page(const void* address) {
  const auto* byte = static_cast<const char*>(address);
  if (pool.base == nullptr || byte < pool.base || byte >= pool.base + kSlotBytes * kMostFibers) {
    return false;
  }
  return static_cast<size_t>(byte - pool.base) % kSlotBytes < kGuardBytes;
}

}  // namespace stitch_emulator

// SPDX-License-Identifier: Apache-2.0
// Stacks that device threads run on, and the switch between them. A fiber serves many threads one after another; only a
// thread that waits keeps one. Everything here belongs to one OS thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "fiber/switch.h"

namespace stitch_emulator {

struct Fiber {
  Context context = nullptr;
  char* stack_bottom = nullptr;  // lowest usable byte; the guard page lies below
  size_t stack_bytes = 0;
  void* fake_stack = nullptr;  // AddressSanitizer's
};

// Runs on the new fiber; never returns.
using FiberMain = void (*)();

// The fiber that stands for the OS thread's own stack, and the one that runs.
extern Fiber host_fiber;
extern Fiber* current_fiber;

// Where the stacks of all fibers lie.
struct Stacks {
  uintptr_t start = 0;
  size_t bytes = 0;
};
extern Stacks stacks;

// Where new fibers start. Set it before the first take_fiber.
void set_fiber_main(FiberMain main);
// Makes room for so many, while none is taken: those of a block have it anyway, and address space may be scarce. False
// when no memory is left.
bool reserve_fibers(int count);
// An idle fiber, or a new one. Null when no memory is left for another stack.
Fiber* take_fiber();
void give_back_fiber(Fiber* fiber);
// Forgets whatever every fiber was doing. Call from the host fiber only.
void abandon_fibers();

#ifdef __SANITIZE_ADDRESS__
void before_switch(Fiber* self, Fiber* target);
void after_switch(Fiber* self);
#else
inline void before_switch(Fiber*, Fiber*) {}
inline void after_switch(Fiber*) {}
#endif

inline __attribute__((always_inline)) void switch_to(Fiber* target) {
  Fiber* self = current_fiber;
  before_switch(self, target);
  current_fiber = target;
  switch_context(&self->context, target->context);
  after_switch(self);
}

// Whether an address lies in a guard page, i.e. whether a fault there is a stack overflow.
bool in_guard_page(const void* address);

}  // namespace stitch_emulator

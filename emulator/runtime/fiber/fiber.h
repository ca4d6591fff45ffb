// SPDX-License-Identifier: Apache-2.0
// Stacks that device threads run on, and the switch between them. A fiber serves many threads one after another; only a
// thread that waits keeps one. Everything here belongs to one OS thread.
#pragma once

#include <stddef.h>

#include <boost/context/detail/fcontext.hpp>

namespace stitch_emulator {

struct Fiber {
  boost::context::detail::fcontext_t context = nullptr;
  char* stack_bottom = nullptr;  // lowest usable byte; the guard page lies below
  size_t stack_bytes = 0;
  void* fake_stack = nullptr;  // AddressSanitizer's
};

// Runs on the new fiber; never returns.
using FiberMain = void (*)();

// The fiber that stands for the OS thread's own stack.
Fiber& host_fiber();
Fiber* current_fiber();

// Where new fibers start. Set it before the first take_fiber.
void set_fiber_main(FiberMain main);
// An idle fiber, or a new one. Null when no memory is left for another stack.
Fiber* take_fiber();
void give_back_fiber(Fiber* fiber);
// Forgets whatever every fiber was doing. Call from the host fiber only.
void abandon_fibers();

void switch_to(Fiber* target);

// Whether an address lies in a guard page, i.e. whether a fault there is a stack overflow.
bool in_guard_page(const void* address);

}  // namespace stitch_emulator

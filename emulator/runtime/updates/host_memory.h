// SPDX-License-Identifier: Apache-2.0
// The checked build: a kernel that reads or writes the host's heap, which no GPU reaches. Elsewhere these are empty.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "fiber/sanitizer.h"

namespace stitch_emulator {

// What api/memory.cc knows: whether a piece that begins there was allocated on the device, pinned or lent; whether an
// address was registered.
bool is_kernels_memory(const void* start);
bool is_registered(const void* address);

#ifdef __SANITIZE_ADDRESS__
// `closure` holds the arguments of the kernel that begins.
void begin_launch_host_memory(const void* closure);
// Ends the process where a kernel accesses the host's heap at `address`.
void check_host_memory(const void* address, uintptr_t program_counter);
#else
inline void begin_launch_host_memory(const void*) {}
#endif

}  // namespace stitch_emulator

// SPDX-License-Identifier: Apache-2.0
// The device's memory apart from the host's, as it is on a GPU: while it is kept apart, only work on the device touches
// it. And trial calls in which some of that work is left out, which show what carried the answer.
#pragma once

#include <cstddef>

namespace stitch_emulator {

// While one lives, this process may touch the device's memory.
class DeviceAccess {
 public:
  DeviceAccess();
  ~DeviceAccess();
  DeviceAccess(const DeviceAccess&) = delete;
  DeviceAccess& operator=(const DeviceAccess&) = delete;
};

// Whether memory can be kept apart in this process: somebody did so at least once.
bool can_be_apart();
// Memory that is apart where the rest is; null where there is none.
void* allocate_apart(size_t bytes);
void release_apart(void* memory);

// Memory that host code must not touch now: what it names is its own.
bool is_kept_apart(const void* address);

// Of trial calls. Kernels and functions of libraries end at once; copies from the host bring garbage.
bool kernels_are_left_out();
bool host_copies_are_left_out();
// Asked once for each call of cudaMemset and its like.
bool set_is_left_out();
bool is_left_out(const char* kernel, const char* file, int line);
// Whether `address` is the device's, as far as it is known.
bool is_on_device(const void* address);

}  // namespace stitch_emulator

// For a worker, by dlsym: between the two, which nest, the device's memory can be touched. Somebody else's work on the
// device, such as a copy by PyTorch.
extern "C" void stitch_emulator_enter_device();
extern "C" void stitch_emulator_leave_device();

// SPDX-License-Identifier: Apache-2.0
// The kernels behind device/bulk.h, compiled by nvcc where there is one. Each answers with a cudaError_t.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace stitch::device {

// Adds the parts of all words of a region to `sum`, in device memory.
cudaError_t launch_digest(const void* data, uint64_t bytes, uint64_t key, unsigned long long* sum);
// One block on each multiprocessor, with all of its shared memory: no other block fits beside it.
// All begin and end together.
cudaError_t launch_copy_alone(void* to, const void* from, uint64_t bytes, cudaStream_t stream);
cudaError_t launch_fill(void* data, uint64_t bytes, uint64_t seed);
// to[i] is first[i] where takes_first(seed, i), else second[i]. Elements of 2, 4 or 8 bytes.
cudaError_t launch_mix(void* to, const void* first, const void* second, uint64_t bytes, uint64_t width, uint64_t seed);

// In memory that host and device both see.
struct HoldSignals {
  unsigned taken = 0;    // the device says: no multiprocessor is free
  unsigned release = 0;  // the host says: one of the following
  // The device says: for how long it has been held, less what other processes had of it.
  unsigned long long held_ns = 0;
};
constexpr unsigned kFirstGoes = 1;  // one multiprocessor is given back
constexpr unsigned kAllGo = 2;
// Takes every multiprocessor whole until it is released, or for `limit_ns` of such time. `arrived` is device memory
// that holds zero.
cudaError_t launch_hold(HoldSignals* signals, unsigned* arrived, uint64_t limit_ns, cudaStream_t stream);

}  // namespace stitch::device

// SPDX-License-Identifier: Apache-2.0
// The kernels behind device/bulk.h, compiled by nvcc where there is one. Each answers with a cudaError_t.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace stitch::device {

// Adds the parts of all words of a region to `sum`, in device memory.
cudaError_t launch_digest(const void* data, uint64_t bytes, uint64_t key, unsigned long long* sum);
// One block on each multiprocessor, with all of its shared memory: no other block fits beside it.
cudaError_t launch_copy_alone(void* to, const void* from, uint64_t bytes, cudaStream_t stream);
cudaError_t launch_fill(void* data, uint64_t bytes, uint64_t seed);

}  // namespace stitch::device

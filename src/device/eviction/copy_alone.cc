// SPDX-License-Identifier: Apache-2.0
// The eviction of the L2 cache for workers in Python: the kernel that native workers have (device/bulk.h), in a library
// that ctypes loads. It brings a CUDA runtime of its own along, which works in the context that PyTorch's has made.
#include "device/cuda/bulk_kernels.h"

// A cudaError_t. `bytes` and the addresses are multiples of 16; `stream` is a cudaStream_t of that context.
extern "C" __attribute__((visibility("default"))) int stitch_copy_alone(void* to, const void* from, uint64_t bytes,
                                                                        void* stream) {
  return static_cast<int>(stitch::device::launch_copy_alone(to, from, bytes, static_cast<cudaStream_t>(stream)));
}

// SPDX-License-Identifier: Apache-2.0
// Dynamic shared memory beyond the 48 KB that a kernel may use without asking.
#pragma once

#include <cuda_runtime.h>

namespace stitch {

template <typename Kernel>
cudaError_t allow_shared_memory(Kernel* kernel, int bytes) {
  constexpr int kWithoutAsking = 48 * 1024;
  if (bytes <= kWithoutAsking) {
    return cudaSuccess;
  }
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                              bytes);
}

}  // namespace stitch

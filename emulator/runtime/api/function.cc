// SPDX-License-Identifier: Apache-2.0
// What a program asks and sets about its kernels: shared-memory limits and occupancy.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <map>

#include "api/state.h"
#include "control/counts.h"
#include "fault/fault.h"

namespace stitch_emulator {
namespace {

constexpr int kThreadsPerMultiprocessor = 2048;
constexpr int kBlocksPerMultiprocessor = 32;
constexpr size_t kSharedPerMultiprocessor = 228 * 1024;
constexpr size_t kReservedPerBlock = 1024;

std::map<const void*, size_t>& allowed() {
  static std::map<const void*, size_t> map;
  return map;
}

}  // namespace

size_t allowed_dynamic_shared(const void* function) {
  const size_t usual = settings.limits.static_shared_bytes;
  if (function != nullptr) {
    const auto found = allowed().find(function);
    return found == allowed().end() ? usual : std::max(found->second, usual);
  }
  size_t largest = usual;
  for (const auto& entry : allowed()) {
    largest = std::max(largest, entry.second);
  }
  return largest;
}

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (value < 0 || static_cast<size_t>(value) > settings.limits.opt_in_shared_bytes) {
      return report(cudaErrorInvalidValue);
    }
    allowed()[function] = static_cast<size_t>(value);
  }
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  *attributes = {};
  attributes->maxThreadsPerBlock = settings.limits.threads_per_block;
  attributes->numRegs = 32;
  attributes->ptxVersion = 90;
  attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(allowed_dynamic_shared(function));
  return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }

// Counts threads, blocks and dynamic shared memory; registers are not known here.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int block_size,
                                                          size_t dynamic_bytes) {
  if (block_size <= 0 || block_size > settings.limits.threads_per_block) {
    return report(cudaErrorInvalidValue);
  }
  const int by_threads = std::min(kThreadsPerMultiprocessor / ((block_size + 31) / 32 * 32), kBlocksPerMultiprocessor);
  const auto by_shared = static_cast<int>(kSharedPerMultiprocessor / (dynamic_bytes + kReservedPerBlock));
  *blocks = std::min(by_threads, by_shared);
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int block_size,
                                                                   size_t dynamic_bytes, unsigned int) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, dynamic_bytes);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void*, int blocks, int) {
  *bytes = std::min(kSharedPerMultiprocessor / static_cast<size_t>(blocks) - kReservedPerBlock,
                    settings.limits.opt_in_shared_bytes);
  return cudaSuccess;
}

// Without the parameter types of a kernel its arguments cannot be read.
cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) {
  record_fault(
      "cudaLaunchKernel was given a kernel as void*; pass the function itself, so that its parameter types are known",
      nullptr, 0);
  return report(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) {
  record_fault("cooperative launches are not supported on the emulated device", nullptr, 0);
  return report(cudaErrorNotSupported);
}

}  // extern "C"

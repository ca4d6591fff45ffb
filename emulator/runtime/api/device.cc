// SPDX-License-Identifier: Apache-2.0
// One device, shaped like an H200, that says it is emulated.
#include <cuda_runtime_api.h>

#include <cstdio>

#include "api/state.h"
#include "control/counts.h"
#include "control/lent.h"
#include "fault/fault.h"

namespace stitch_emulator {
namespace {

struct Attribute {
  cudaDeviceAttr attribute;
  int value;
};

constexpr int kMultiprocessors = 132;
constexpr int kSharedPerBlock = 48 * 1024;
constexpr int kSharedOptIn = 227 * 1024;
constexpr int kSharedPerMultiprocessor = 228 * 1024;
constexpr int kThreadsPerMultiprocessor = 2048;
constexpr int kL2Bytes = 60 * 1024 * 1024;

constexpr Attribute kAttributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, 1024},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 2147483647},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, kSharedPerBlock},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, kSharedOptIn},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, kSharedPerMultiprocessor},
    {cudaDevAttrTotalConstantMemory, 64 * 1024},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxRegistersPerBlock, 65536},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
    {cudaDevAttrMaxBlocksPerMultiprocessor, 32},
    {cudaDevAttrClockRate, 1980000},
    {cudaDevAttrMemoryClockRate, 3201000},
    {cudaDevAttrGlobalMemoryBusWidth, 6144},
    {cudaDevAttrMultiProcessorCount, kMultiprocessors},
    {cudaDevAttrMaxThreadsPerMultiProcessor, kThreadsPerMultiprocessor},
    {cudaDevAttrL2CacheSize, kL2Bytes},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrCooperativeLaunch, 0},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrReservedSharedMemoryPerBlock, 1024},
};

}  // namespace
}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : report(cudaErrorInvalidDevice); }
cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) { return cudaSetDevice(device); }
cudaError_t cudaSetDeviceFlags(unsigned int) { return cudaSuccess; }
cudaError_t cudaDeviceReset() {
  if (has_caller()) {
    host_fault(
        "cudaDeviceReset() ends the context in which the program's caller works, too: the memory and the stream "
        "that the program was given would be gone",
        nullptr, 0);
  }
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit) {
  *value = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) {
    return report(cudaErrorInvalidDevice);
  }
  for (const Attribute& entry : kAttributes) {
    if (entry.attribute == attribute) {
      *value = entry.value;
      return cudaSuccess;
    }
  }
  *value = 0;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0) {
    return report(cudaErrorInvalidDevice);
  }
  *properties = {};
  snprintf(properties->name, sizeof(properties->name), "stitchcuda emulated device (shaped like H200)");
  properties->totalGlobalMem = size_t{139} << 30;
  properties->sharedMemPerBlock = kSharedPerBlock;
  properties->sharedMemPerBlockOptin = kSharedOptIn;
  properties->sharedMemPerMultiprocessor = kSharedPerMultiprocessor;
  properties->reservedSharedMemPerBlock = 1024;
  properties->regsPerBlock = 65536;
  properties->regsPerMultiprocessor = 65536;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
  properties->maxThreadsDim[2] = 64;
  properties->maxGridSize[0] = 2147483647;
  properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
  properties->totalConstMem = 64 * 1024;
  properties->major = 9;
  properties->minor = 0;
  properties->multiProcessorCount = kMultiprocessors;
  properties->maxThreadsPerMultiProcessor = kThreadsPerMultiprocessor;
  properties->maxBlocksPerMultiProcessor = 32;
  properties->memoryBusWidth = 6144;
  properties->l2CacheSize = kL2Bytes;
  properties->concurrentKernels = 1;
  properties->unifiedAddressing = 1;
  properties->managedMemory = 1;
  properties->textureAlignment = 512;
  return cudaSuccess;
}

}  // extern "C"

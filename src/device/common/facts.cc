// SPDX-License-Identifier: Apache-2.0
#include "device/facts.h"

#include <fmt/format.h>

#include "device/common/status.h"

namespace stitch::device {

Result<Facts> open_device(int index) {
  int count = 0;
  const cudaError_t counted = cudaGetDeviceCount(&count);
  if (counted != cudaSuccess || index >= count) {
    return failure(
        ErrorCode::kEnvironment,
        fmt::format("no GPU can be used: {}", counted == cudaSuccess ? "there is none" : cudaGetErrorString(counted)),
        "", "run with --device emulated, or check the driver with nvidia-smi");
  }
  STITCH_TRY(check(cudaSetDevice(index), "choosing the device"));
  cudaDeviceProp properties{};
  STITCH_TRY(check(cudaGetDeviceProperties(&properties, index), "asking for the device's properties"));
  return Facts{.name = properties.name,
               .architecture = fmt::format("sm_{}{}", properties.major, properties.minor),
               .memory_bytes = properties.totalGlobalMem,
               .l2_bytes = static_cast<uint64_t>(properties.l2CacheSize),
               .multiprocessors = properties.multiProcessorCount};
}

}  // namespace stitch::device

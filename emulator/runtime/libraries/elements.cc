// SPDX-License-Identifier: Apache-2.0
#include "libraries/elements.h"

// clang-format off
#include <math.h>  // before CUDA's headers, which take its functions for the device's
// clang-format on

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstring>

namespace stitch_emulator {

float load_element(const void* data, cudaDataType type, int64_t place) {
  switch (type) {
    case CUDA_R_16F:
      return __half2float(static_cast<const __half*>(data)[place]);
    case CUDA_R_16BF:
      return __bfloat162float(static_cast<const __nv_bfloat16*>(data)[place]);
    default:
      return static_cast<const float*>(data)[place];
  }
}

void store_element(void* data, cudaDataType type, int64_t place, float value) {
  switch (type) {
    case CUDA_R_16F:
      static_cast<__half*>(data)[place] = __float2half_rn(value);
      break;
    case CUDA_R_16BF:
      static_cast<__nv_bfloat16*>(data)[place] = __float2bfloat16_rn(value);
      break;
    default:
      static_cast<float*>(data)[place] = value;
  }
}

float rounded_to_tf32(float value) {
  if (!std::isfinite(value)) {
    return value;
  }
  constexpr uint32_t kHalfUnit = 1U << 12;
  constexpr uint32_t kKept = ~((1U << 13) - 1);
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  bits = (bits + kHalfUnit) & kKept;
  std::memcpy(&value, &bits, sizeof(bits));
  return value;
}

}  // namespace stitch_emulator

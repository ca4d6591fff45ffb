// SPDX-License-Identifier: Apache-2.0
#include "device/common/status.h"

#include <fmt/format.h>

namespace stitch::device {

Result<void> check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) {
    return {};
  }
  return failure(ErrorCode::kEnvironment,
                 fmt::format("{} failed: {} ({})", what, cudaGetErrorString(status), cudaGetErrorName(status)));
}

}  // namespace stitch::device

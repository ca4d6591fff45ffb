// SPDX-License-Identifier: Apache-2.0
#include "device/l2_cache.h"

#include "device/common/status.h"

namespace stitch::device {

Result<void> forget_persisting_lines() {
  const cudaError_t limited = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
  if (limited == cudaErrorUnsupportedLimit || limited == cudaErrorNotSupported) {
    (void)cudaGetLastError();
    return {};
  }
  STITCH_TRY(check(limited, "taking back reserved L2 cache"));
  return check(cudaCtxResetPersistingL2Cache(), "emptying reserved L2 cache");
}

}  // namespace stitch::device

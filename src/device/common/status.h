// SPDX-License-Identifier: Apache-2.0
// CUDA's error numbers into Results. Only for the sources of this folder.
#pragma once

#include <cuda_runtime_api.h>

#include "base/error/result.h"

namespace stitch::device {

// kEnvironment with CUDA's own words, unless `status` is success.
Result<void> check(cudaError_t status, const char* what);

}  // namespace stitch::device

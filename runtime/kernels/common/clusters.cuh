// SPDX-License-Identifier: Apache-2.0
// What launches of clusters (ptx/cluster.cuh) have in common.
#pragma once

#include <cuda_runtime.h>

namespace stitch {

// Whether the kernel was compiled for a device that has clusters: then this is one.
template <typename Kernel>
bool runs_clusters(Kernel* kernel) {
  constexpr int kLeastVersion = 90;
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess && attributes.ptxVersion >= kLeastVersion;
}

}  // namespace stitch

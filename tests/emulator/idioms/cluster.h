// SPDX-License-Identifier: Apache-2.0
// Launches of clusters, for kernels that use runtime/ptx/cluster.cuh.
#pragma once

#include "../../../runtime/ptx/cluster.cuh"
#include "../../../runtime/ptx/mbarrier.cuh"
#include "check.h"

template <class... Parameters, class... Arguments>
inline cudaError_t launch_clusters(dim3 grid, dim3 block, dim3 cluster, void (*kernel)(Parameters...),
                                   Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster.x, cluster.y, cluster.z};
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

// SPDX-License-Identifier: Apache-2.0
// Clusters: their blocks take turns. One runs until nothing of it can, or until another's turn is drawn; meanwhile the
// state and the shared memory of the others lie aside.
#pragma once

#include <cuda_runtime_api.h>

#include "stitch_emulator/launch.h"

namespace stitch_emulator {

constexpr unsigned int kMaxClusterBlocks = 8;

// Runs the blocks from `first` on, `shape` in each direction. False when a fault ended one.
bool run_cluster(const KernelCall& call, dim3 shape, uint3 first);

// Of the running block, in a cluster.
void note_end_of_cluster_thread(int thread);
// Stores of other blocks that this mbarrier of the running block counts.
void land_cluster_stores(const void* barrier);

}  // namespace stitch_emulator

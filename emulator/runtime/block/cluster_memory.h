// SPDX-License-Identifier: Apache-2.0
// What stores to the shared memory of a cluster's other blocks need of the cluster, and it of them.
#pragma once

#include <stdint.h>

namespace stitch_emulator {

// All blocks have been at a barrier.
bool cluster_has_met();
unsigned int cluster_current();
bool member_has_ended(unsigned int rank);
// At a shared-memory address of that block, wherever it lies now.
void* member_memory(unsigned int rank, uint32_t offset);

// At the start of a cluster.
void forget_cluster_stores();
// Under way to that block.
bool has_cluster_stores(unsigned int rank);

}  // namespace stitch_emulator

// SPDX-License-Identifier: Apache-2.0
// What runtime/ptx/cluster.cuh does on the emulated device.
#pragma once

#include <stdint.h>

#include "stitch_emulator/cluster.h"
#include "stitch_emulator/mbarrier.h"

namespace stitch::ptx::emulated {

inline uint32_t cluster_rank() { return stitch_cluster_rank(); }
inline uint32_t cluster_blocks() { return stitch_cluster_blocks(); }
inline uint32_t cluster_address(const void* shared, uint32_t rank) {
  return stitch_cluster_address(shared, rank, __FILE__, __LINE__);
}
inline void cluster_store(uint32_t address, float value) {
  stitch_cluster_store(address, &value, sizeof(value), __FILE__, __LINE__);
}
inline void cluster_load(uint32_t address, float (&values)[4]) {
  stitch_cluster_load(address, values, sizeof(values), __FILE__, __LINE__);
}
template <typename T, int kCount>
inline void cluster_store_async(uint32_t address, const T (&values)[kCount], uint32_t barrier) {
  stitch_cluster_store_async(address, values, sizeof(values), barrier, __FILE__, __LINE__);
}
inline void mbarrier_wait_cluster(uint64_t* barrier, uint32_t parity) {
  stitch_mbarrier_wait(barrier, parity, __FILE__, __LINE__);
}
inline void cluster_arrive() { stitch_cluster_arrive(__FILE__, __LINE__); }
inline void cluster_wait() { stitch_cluster_wait(__FILE__, __LINE__); }

}  // namespace stitch::ptx::emulated

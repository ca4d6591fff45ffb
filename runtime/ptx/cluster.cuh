// SPDX-License-Identifier: Apache-2.0
// Clusters: blocks that run at the same time and reach each other's shared memory (sm_90 and later). A block's rank is
// its number in its cluster. A partner may be written to from the first cluster barrier on, before which it may not run
// yet, and must not have left the kernel: blocks that others still write to meet at a last barrier.
#pragma once

#include <stdint.h>

#ifdef STITCH_EMULATED
#include <stitch_emulator/ptx/cluster.h>
#endif

// What a kernel tests that other targets compile too.
#if defined(STITCH_EMULATED) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900)
#define STITCH_HAS_CLUSTERS 1
#endif

namespace stitch::ptx {

__device__ __forceinline__ uint32_t cluster_rank() {
#ifdef STITCH_EMULATED
  return emulated::cluster_rank();
#else
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;\n" : "=r"(rank));
  return rank;
#endif
}

__device__ __forceinline__ uint32_t cluster_blocks() {
#ifdef STITCH_EMULATED
  return emulated::cluster_blocks();
#else
  uint32_t blocks;
  asm volatile("mov.u32 %0, %%cluster_nctarank;\n" : "=r"(blocks));
  return blocks;
#endif
}

// Where the block of this rank has what lies at `shared` in this one: an address for the functions below. Sums of it
// and bytes lead on in the same block.
__device__ __forceinline__ uint32_t cluster_address(const void* shared, uint32_t rank) {
#ifdef STITCH_EMULATED
  return emulated::cluster_address(shared, rank);
#else
  const auto own = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  uint32_t address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;\n" : "=r"(address) : "r"(own), "r"(rank));
  return address;
#endif
}

// Other blocks see the value after a cluster barrier.
__device__ __forceinline__ void cluster_store(uint32_t address, float value) {
#ifdef STITCH_EMULATED
  emulated::cluster_store(address, value);
#else
  asm volatile("st.shared::cluster.f32 [%0], %1;\n" ::"r"(address), "f"(value) : "memory");
#endif
}

// Of what its block wrote before a cluster barrier. Aligned to 16 bytes.
__device__ __forceinline__ void cluster_load(uint32_t address, float (&values)[4]) {
#ifdef STITCH_EMULATED
  emulated::cluster_load(address, values);
#else
  asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];\n"
               : "=f"(values[0]), "=f"(values[1]), "=f"(values[2]), "=f"(values[3])
               : "r"(address)
               : "memory");
#endif
}

// Stores that the mbarrier at `barrier`, of the same block as `address`, counts in bytes as they arrive; who waits for
// its phase by mbarrier_wait_cluster sees them. Two values: aligned to 8 bytes.
__device__ __forceinline__ void cluster_store_async(uint32_t address, float value, uint32_t barrier) {
#ifdef STITCH_EMULATED
  emulated::cluster_store_async(address, {value}, barrier);
#else
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];\n" ::"r"(address),
               "f"(value), "r"(barrier)
               : "memory");
#endif
}

__device__ __forceinline__ void cluster_store_async(uint32_t address, float first, float second, uint32_t barrier) {
#ifdef STITCH_EMULATED
  emulated::cluster_store_async(address, {first, second}, barrier);
#else
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];\n" ::"r"(address),
      "f"(first), "f"(second), "r"(barrier)
      : "memory");
#endif
}

// Four words, aligned to 16 bytes.
__device__ __forceinline__ void cluster_store_async(uint32_t address, const uint32_t (&words)[4], uint32_t barrier) {
#ifdef STITCH_EMULATED
  emulated::cluster_store_async(address, words, barrier);
#else
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];\n" ::"r"(
          address),
      "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]), "r"(barrier)
      : "memory");
#endif
}

// As mbarrier_wait (ptx/mbarrier.cuh), for what blocks of the whole cluster wrote before the phase ended.
__device__ __forceinline__ void mbarrier_wait_cluster(uint64_t* barrier, uint32_t parity) {
#ifdef STITCH_EMULATED
  emulated::mbarrier_wait_cluster(barrier, parity);
#else
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(barrier));
  asm volatile(
      "{\n.reg .pred done;\nagain:\n"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
      "@done bra over;\nbra again;\nover:\n}\n" ::"r"(address),
      "r"(parity)
      : "memory");
#endif
}

// The barrier of all threads of all blocks of the cluster: what a thread wrote before it arrives, others see after they
// have waited. Every thread arrives once, then waits once.
__device__ __forceinline__ void cluster_arrive() {
#ifdef STITCH_EMULATED
  emulated::cluster_arrive();
#else
  asm volatile("barrier.cluster.arrive.release.aligned;\n" ::: "memory");
#endif
}

__device__ __forceinline__ void cluster_wait() {
#ifdef STITCH_EMULATED
  emulated::cluster_wait();
#else
  asm volatile("barrier.cluster.wait.acquire.aligned;\n" ::: "memory");
#endif
}

}  // namespace stitch::ptx

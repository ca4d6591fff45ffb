// SPDX-License-Identifier: Apache-2.0
// Where the elements of a float tile lie in shared memory, without padding and without bank conflicts, and how a warp
// reads mma.m16n8k8 fragments from it. "Outer" is m for lhs and n for rhs; fragments of both have the same shape: 8
// outer indices (lane / 4) by 8 along K (lane % 4, and 4 more).
#pragma once

#include "kernels/gemm/operands.cuh"
#include "ptx/ldmatrix.cuh"

namespace stitch {

//
// load_16() reads 16 outer indices by 8 along K. The registers then hold the two halves along the outer axis before
// those along K, as an A fragment has them (kRowsFirst), or two B fragments one after the other. A loop makes a Reader
// of its lane once: what remains of every address is then one constant.
template <int kOuter, int kDepth, Layout kLayout>
struct MmaTileLayout;

// [outer][k], the groups of 4 within each 32 floats of a row permuted by the outer index: the eight rows that ldmatrix
// reads at once lie in different banks.
template <int kOuter, int kDepth>
struct MmaTileLayout<kOuter, kDepth, Layout::kContiguousK> {
  static_assert(kDepth % 32 == 0, "the permutation is over groups of 32 floats, all banks");

  static __device__ __forceinline__ int offset(unsigned outer, unsigned k) {
    return static_cast<int>(outer * kDepth + ((k / 4) ^ (outer % 8)) * 4 + k % 4);
  }

  template <bool kRowsFirst>
  class Reader {
   public:
    __device__ __forceinline__ Reader(int outer, unsigned lane) {
      const unsigned outer_half = kRowsFirst ? lane / 8 % 2 : lane / 16;
      const unsigned k_half = kRowsFirst ? lane / 16 : lane / 8 % 2;
      start_ = offset(outer + lane % 8 + outer_half * 8, k_half * 4);
    }

    // The block-th 16 outer indices from `outer`, k a multiple of 8.
    __device__ __forceinline__ void load_16(float (&registers)[4], const float* tile, int block, int k) const {
      uint32_t words[4];
      ptx::ldmatrix_x4(words, tile + ((start_ ^ k % 32) + k / 32 * 32 + block * 16 * kDepth));
#pragma unroll
      for (int word = 0; word < 4; ++word) {
        registers[word] = __uint_as_float(words[word]);
      }
    }

   private:
    int start_;
  };

  static __device__ __forceinline__ void load_16(float (&registers)[4], const float* tile, int outer, int k,
                                                 unsigned lane) {
    Reader<false>(outer, lane).load_16(registers, tile, 0, k);
  }
};

// [k][outer], the outer index permuted by k: the four rows a fragment touches lie in different banks.
template <int kOuter, int kDepth>
struct MmaTileLayout<kOuter, kDepth, Layout::kContiguousOuter> {
  static_assert(kOuter % 32 == 0, "the permutation is over groups of 32 floats, all banks");

  static __device__ __forceinline__ int offset(unsigned outer, unsigned k) {
    return static_cast<int>(k * kOuter + (outer ^ (k % 4 * 8)));
  }

  template <bool kRowsFirst>
  class Reader {
   public:
    // outer: a multiple of 32, within which the permutation stays.
    __device__ __forceinline__ Reader(int outer, unsigned lane) {
#pragma unroll
      for (unsigned eighth = 0; eighth < 4; ++eighth) {
        starts_[eighth] = offset(outer + eighth * 8 + lane / 4, lane % 4);
      }
    }

    __device__ __forceinline__ void load_16(float (&registers)[4], const float* tile, int block, int k) const {
#pragma unroll
      for (int word = 0; word < 4; ++word) {
        const int outer_half = kRowsFirst ? word % 2 : word / 2;
        const int k_half = kRowsFirst ? word / 2 : word % 2;
        registers[word] = tile[starts_[block % 2 * 2 + outer_half] + block / 2 * 32 + (k + k_half * 4) * kOuter];
      }
    }

   private:
    int starts_[4];
  };

  static __device__ __forceinline__ void load_16(float (&registers)[4], const float* tile, int outer, int k,
                                                 unsigned lane) {
#pragma unroll
    for (int word = 0; word < 4; ++word) {
      registers[word] = tile[offset(outer + lane / 4 + word / 2 * 8, k + lane % 4 + word % 2 * 4)];
    }
  }
};

}  // namespace stitch

// SPDX-License-Identifier: Apache-2.0
// How float operands are multiplied on tensor cores. A policy turns fragments of floats (laid out as mma.m16n8k8 wants
// them) into the hardware's operand types and multiplies a warp's tile of kTilesM x kTilesN products with them.
//
//   kSteps          slices of 8 along K that one multiplication takes
//   kPromoteEvery   K after which partial sums move into separate fp32 registers; 0 for never. The tensor core's own
//                   accumulation cuts off instead of rounding, once a product, whatever the operands: its errors all
//                   point towards zero and grow with the length of the sum.
//   kRepairs        non-finite outputs are computed again with plain fp32 arithmetic: splitting an infinity, or a value
//                   that rounds up to one, gives NaN
#pragma once

#include <stdint.h>

#include "kernels/common.cuh"
#include "ptx/convert.cuh"
#include "ptx/mma.cuh"

namespace stitch {

template <int kTilesM, int kTilesN, int kSteps>
struct MmaFragments {
  float a[kSteps][kTilesM][4];
  float b[kSteps][kTilesN][2];
};

template <int kTilesM, int kTilesN>
using MmaSums = float[kTilesM][kTilesN][4];

namespace mma_detail {

// Fragments already in the hardware's operand type.
template <int kTilesM, int kTilesN>
struct Operands {
  uint32_t a[kTilesM][4];
  uint32_t b[kTilesN][2];

  template <typename Convert, int kSteps>
  __device__ __forceinline__ void convert(const MmaFragments<kTilesM, kTilesN, kSteps>& from, const Convert& convert) {
#pragma unroll
    for (int i = 0; i < kTilesM * 4; ++i) {
      a[i / 4][i % 4] = convert(from.a[0][i / 4][i % 4]);
    }
#pragma unroll
    for (int j = 0; j < kTilesN * 2; ++j) {
      b[j / 2][j % 2] = convert(from.b[0][j / 2][j % 2]);
    }
  }
};

template <int kTilesM, int kTilesN, typename Multiply>
__device__ __forceinline__ void for_each_product(const Multiply& multiply) {
#pragma unroll
  for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
    for (int j = 0; j < kTilesN; ++j) {
      multiply(i, j);
    }
  }
}

// Rounded to nearest, ties away, in the integer domain: before sm_100 the conversion instruction is several of these.
// The hardware ignores the low 13 bits of an operand. Infinities become NaN, which the repair of outputs sees.
// A NaN stays as it is: the GPU's own has every bit but the sign's set, and would be carried over into a zero.
__device__ __forceinline__ uint32_t rounded_tf32(float value) {
  return value != value ? __float_as_uint(value) : __float_as_uint(value) + 0x1000u;
}

// Floats in two TF32 parts. What the upper part leaves is exact; the hardware cuts off what is below its 11 bits, at
// most 2^-22 of `value`, to either side. An upper part that is cut off instead of rounded would be cheaper, but all
// lower parts, and the product of two of them that is left out, would then have the operands' signs: a bias.
template <int kWords>
__device__ __forceinline__ void split_fragment(uint32_t (&upper)[kWords], uint32_t (&lower)[kWords],
                                               const float (&values)[kWords]) {
#pragma unroll
  for (int word = 0; word < kWords; ++word) {
    upper[word] = rounded_tf32(values[word]) & 0xffffe000u;
    lower[word] = __float_as_uint(values[word] - __uint_as_float(upper[word]));
  }
}

// One product of operands that `convert` makes of single elements.
template <int kTilesM, int kTilesN, typename Convert, typename Multiply>
__device__ __forceinline__ void multiply_converted(MmaSums<kTilesM, kTilesN>& sums,
                                                   const MmaFragments<kTilesM, kTilesN, 1>& from,
                                                   const Convert& convert, const Multiply& multiply) {
  Operands<kTilesM, kTilesN> operands;
  operands.convert(from, convert);
  for_each_product<kTilesM, kTilesN>([&](int i, int j) { multiply(sums[i][j], operands.a[i], operands.b[j]); });
}

// Words of two 16-bit numbers: how they are made and multiplied.
struct Bf16Words {
  static __device__ __forceinline__ uint32_t pack(float low, float high) { return ptx::pack_bf16x2(low, high); }
  static __device__ __forceinline__ void multiply(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    ptx::mma_m16n8k16_bf16(d, a, b);
  }
};
struct Fp16Words {
  static __device__ __forceinline__ uint32_t pack(float low, float high) { return ptx::pack_fp16x2(low, high); }
  static __device__ __forceinline__ void multiply(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    ptx::mma_m16n8k16_fp16(d, a, b);
  }
};

// One product of floats rounded to 16 bits. Pairs elements of two fragments of depth 8 into operands of depth 16: lane
// t then holds k = t, t+4 where the hardware expects 2t, 2t+1. A and B agree in this order, and a sum does not care for
// it.
template <typename Words>
struct RoundedTo16Bit {
  static constexpr int kSteps = 2;
  static constexpr int kPromoteEvery = 0;
  static constexpr bool kRepairs = false;

  template <int kTilesM, int kTilesN>
  static __device__ __forceinline__ void multiply(MmaSums<kTilesM, kTilesN>& sums,
                                                  const MmaFragments<kTilesM, kTilesN, 2>& from) {
    Operands<kTilesM, kTilesN> operands;
#pragma unroll
    for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
      for (int part = 0; part < 4; ++part) {
        const int row = part % 2;
        const auto& step = from.a[part / 2][i];
        operands.a[i][part] = Words::pack(step[row], step[row + 2]);
      }
    }
#pragma unroll
    for (int j = 0; j < kTilesN; ++j) {
#pragma unroll
      for (int part = 0; part < 2; ++part) {
        operands.b[j][part] = Words::pack(from.b[part][j][0], from.b[part][j][1]);
      }
    }
    for_each_product<kTilesM, kTilesN>(
        [&](int i, int j) { Words::multiply(sums[i][j], operands.a[i], operands.b[j]); });
  }
};

}  // namespace mma_detail

// fp32-class: both operands in two TF32 parts; the product of the two lower parts is below fp32's last place.
// 32 of K are twelve products on one accumulator. At 128 a sum of 96 to 600 elements erred two to three times as much
// as a plain fp32 loop, more than a verdict allows; at 32 it errs less, in the same time
// (bench/results/kernels-h200.md).
struct Tf32x3 {
  static constexpr int kSteps = 1;
  static constexpr int kPromoteEvery = 32;
  static constexpr bool kRepairs = true;

  // Row by row of the warp's tile, so that the parts of the next row are made while the tensor cores have this one.
  template <int kTilesM, int kTilesN>
  static __device__ __forceinline__ void multiply(MmaSums<kTilesM, kTilesN>& sums,
                                                  const MmaFragments<kTilesM, kTilesN, 1>& from) {
    uint32_t upper_b[kTilesN][2];
    uint32_t lower_b[kTilesN][2];
#pragma unroll
    for (int j = 0; j < kTilesN; ++j) {
      mma_detail::split_fragment(upper_b[j], lower_b[j], from.b[0][j]);
    }
    constexpr int kRows = kTilesM % 2 == 0 ? 2 : 1;
#pragma unroll
    for (int first = 0; first < kTilesM; first += kRows) {
      uint32_t upper_a[kRows][4];
      uint32_t lower_a[kRows][4];
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        mma_detail::split_fragment(upper_a[i], lower_a[i], from.a[0][first + i]);
      }
      // Small terms first; all products of one kind together, since a chain on one accumulator waits for itself.
      mma_detail::for_each_product<kRows, kTilesN>(
          [&](int i, int j) { ptx::mma_m16n8k8_tf32(sums[first + i][j], lower_a[i], upper_b[j]); });
      mma_detail::for_each_product<kRows, kTilesN>(
          [&](int i, int j) { ptx::mma_m16n8k8_tf32(sums[first + i][j], upper_a[i], lower_b[j]); });
      mma_detail::for_each_product<kRows, kTilesN>(
          [&](int i, int j) { ptx::mma_m16n8k8_tf32(sums[first + i][j], upper_a[i], upper_b[j]); });
    }
  }
};

// One TF32 product: mode `tf32`.
struct Tf32 {
  static constexpr int kSteps = 1;
  static constexpr int kPromoteEvery = 0;
  static constexpr bool kRepairs = true;

  template <int kTilesM, int kTilesN>
  static __device__ __forceinline__ void multiply(MmaSums<kTilesM, kTilesN>& sums,
                                                  const MmaFragments<kTilesM, kTilesN, 1>& from) {
    mma_detail::multiply_converted<kTilesM, kTilesN>(
        sums, from, [](float value) { return mma_detail::rounded_tf32(value); },
        [](float(&d)[4], const uint32_t(&a)[4], const uint32_t(&b)[2]) { ptx::mma_m16n8k8_tf32(d, a, b); });
  }
};

// One bf16 product: mode `reduced`.
using Bf16 = mma_detail::RoundedTo16Bit<mma_detail::Bf16Words>;
// One fp16 product: mode `reduced` where the operands stay within fp16's range.
using Fp16 = mma_detail::RoundedTo16Bit<mma_detail::Fp16Words>;

}  // namespace stitch

// SPDX-License-Identifier: Apache-2.0
// What runtime/ptx/mma.cuh does on the emulated device: warp-wide matrix products as the tensor cores round them.
#pragma once

#include <stdint.h>

#include "stitch_emulator/collective.h"
#include "stitch_emulator/count.h"
#include "stitch_emulator/ptx/convert.h"

namespace stitch::ptx::emulated {

struct MmaLane {
  float* d;
  const uint32_t* a;
  const uint32_t* b;
};

// The hardware cuts a sum off where fp32 ends, it does not round: errors that all point towards zero.
inline float cut_off(double sum) {
  uint64_t bits;
  __builtin_memcpy(&bits, &sum, sizeof(bits));
  bits &= ~0x1fffffffull;  // of a double's 52 bits those that a float does not have
  __builtin_memcpy(&sum, &bits, sizeof(bits));
  return static_cast<float>(sum);
}

typedef double Columns __attribute__((vector_size(64)));

// d += a * b, with a and b as (row, k) and (k, column) matrices gathered from the lanes. A row at a time, its eight
// columns together: this is where an emulated program spends its time.
template <int kDepth>
inline void accumulate(void* const lanes[32], const double (&a)[16][kDepth], const double (&b)[kDepth][8]) {
  stitch_count_matrix_operation();
  stitch_count_matrix_flops(kDepth == 8 ? STITCH_TF32_PIPE : STITCH_HALF_PIPE, 2 * 16 * 8 * kDepth);
  for (int row = 0; row < 16; ++row) {
    float* held[8];
    Columns sums;
#pragma GCC unroll 8
    for (int column = 0; column < 8; ++column) {
      const int lane = 4 * (row % 8) + column / 2;
      held[column] = static_cast<const MmaLane*>(lanes[lane])->d + 2 * (row / 8) + column % 2;
      sums[column] = static_cast<double>(*held[column]);
    }
#pragma GCC unroll 8
    for (int k = 0; k < kDepth; ++k) {
      Columns columns;
      __builtin_memcpy(&columns, b[k], sizeof(columns));
      sums += a[row][k] * columns;
    }
#pragma GCC unroll 8
    for (int column = 0; column < 8; ++column) {
      *held[column] = cut_off(sums[column]);
    }
  }
}

// The hardware ignores the low 13 bits of a TF32 operand.
inline float tf32_value(uint32_t bits) {
  bits &= 0xffffe000u;
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

inline float bf16_value(uint32_t half_bits) {
  const uint32_t bits = half_bits << 16;
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

inline void mma_tf32(void* const lanes[32]) {
  double a[16][8];
  double b[8][8];
  for (int lane = 0; lane < 32; ++lane) {
    const auto* state = static_cast<const MmaLane*>(lanes[lane]);
    const int g = lane / 4;
    const int t = lane % 4;
#pragma GCC unroll 4
    for (int part = 0; part < 4; ++part) {
      a[g + 8 * (part % 2)][t + 4 * (part / 2)] = tf32_value(state->a[part]);
    }
    b[t][g] = tf32_value(state->b[0]);
    b[t + 4][g] = tf32_value(state->b[1]);
  }
  accumulate(lanes, a, b);
}

template <float (*kValue)(uint32_t)>
inline void mma_16bit(void* const lanes[32]) {
  double a[16][16];
  double b[16][8];
  for (int lane = 0; lane < 32; ++lane) {
    const auto* state = static_cast<const MmaLane*>(lanes[lane]);
    const int g = lane / 4;
    const int t = lane % 4;
    for (int half = 0; half < 2; ++half) {
#pragma GCC unroll 4
      for (int part = 0; part < 4; ++part) {
        a[g + 8 * (part % 2)][2 * t + half + 8 * (part / 2)] = kValue(state->a[part] >> (16 * half) & 0xffffu);
      }
      b[2 * t + half][g] = kValue(state->b[0] >> (16 * half) & 0xffffu);
      b[2 * t + half + 8][g] = kValue(state->b[1] >> (16 * half) & 0xffffu);
    }
  }
  accumulate(lanes, a, b);
}

inline void mma_m16n8k8_tf32(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  MmaLane state{d, a, b};
  stitch_warp_collective(&state, mma_tf32);
}

inline void mma_m16n8k16_bf16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  MmaLane state{d, a, b};
  stitch_warp_collective(&state, mma_16bit<bf16_value>);
}

inline void mma_m16n8k16_fp16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  MmaLane state{d, a, b};
  stitch_warp_collective(&state, mma_16bit<fp16_value>);
}

}  // namespace stitch::ptx::emulated

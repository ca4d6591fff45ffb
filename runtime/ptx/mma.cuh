// SPDX-License-Identifier: Apache-2.0
// Warp-wide matrix products on the tensor cores, d += a * b, fp32 accumulators. All 32 lanes must take part.
// With g = lane / 4 and t = lane % 4, a lane holds of d (16 x 8): (g, 2t), (g, 2t+1), (g+8, 2t), (g+8, 2t+1).
#pragma once

#include <stdint.h>

namespace stitch::ptx {

#ifdef STITCH_EMULATED
struct MmaLane {
  float* d;
  const uint32_t* a;
  const uint32_t* b;
};

// The hardware cuts a sum off where fp32 ends, it does not round: errors that all point towards zero.
inline float emulate_cut_off(double sum) {
  uint64_t bits;
  __builtin_memcpy(&bits, &sum, sizeof(bits));
  bits &= ~0x1fffffffull;  // of a double's 52 bits those that a float does not have
  __builtin_memcpy(&sum, &bits, sizeof(bits));
  return static_cast<float>(sum);
}

typedef double EmulatedColumns __attribute__((vector_size(64)));

// d += a * b, with a and b as (row, k) and (k, column) matrices gathered from the lanes. A row at a time, its eight
// columns together: this is where an emulated program spends its time.
template <int kDepth>
inline void emulate_accumulate(void* const lanes[32], const double (&a)[16][kDepth], const double (&b)[kDepth][8]) {
  stitch_count_matrix_operation();
  for (int row = 0; row < 16; ++row) {
    float* held[8];
    EmulatedColumns sums;
#pragma GCC unroll 8
    for (int column = 0; column < 8; ++column) {
      const int lane = 4 * (row % 8) + column / 2;
      held[column] = static_cast<const MmaLane*>(lanes[lane])->d + 2 * (row / 8) + column % 2;
      sums[column] = static_cast<double>(*held[column]);
    }
#pragma GCC unroll 8
    for (int k = 0; k < kDepth; ++k) {
      EmulatedColumns columns;
      __builtin_memcpy(&columns, b[k], sizeof(columns));
      sums += a[row][k] * columns;
    }
#pragma GCC unroll 8
    for (int column = 0; column < 8; ++column) {
      *held[column] = emulate_cut_off(sums[column]);
    }
  }
}

// The hardware ignores the low 13 bits of a TF32 operand.
inline float emulate_tf32(uint32_t bits) {
  bits &= 0xffffe000u;
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

inline float emulate_bf16_value(uint32_t half_bits) {
  const uint32_t bits = half_bits << 16;
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

inline float emulate_fp16_value(uint32_t half_bits) {
  const auto bits = static_cast<uint16_t>(half_bits);
  _Float16 value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return static_cast<float>(value);
}

inline void emulate_mma_tf32(void* const lanes[32]) {
  double a[16][8];
  double b[8][8];
  for (int lane = 0; lane < 32; ++lane) {
    const auto* state = static_cast<const MmaLane*>(lanes[lane]);
    const int g = lane / 4;
    const int t = lane % 4;
#pragma GCC unroll 4
    for (int part = 0; part < 4; ++part) {
      a[g + 8 * (part % 2)][t + 4 * (part / 2)] = emulate_tf32(state->a[part]);
    }
    b[t][g] = emulate_tf32(state->b[0]);
    b[t + 4][g] = emulate_tf32(state->b[1]);
  }
  emulate_accumulate(lanes, a, b);
}

template <float (*kValue)(uint32_t)>
inline void emulate_mma_16bit(void* const lanes[32]) {
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
  emulate_accumulate(lanes, a, b);
}
#endif

// a (16 x 8): (g, t), (g+8, t), (g, t+4), (g+8, t+4). b (8 x 8): (t, g), (t+4, g).
__device__ __forceinline__ void mma_m16n8k8_tf32(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
#ifdef STITCH_EMULATED
  MmaLane state{d, a, b};
  stitch_warp_collective(&state, emulate_mma_tf32);
#else
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

// Two elements a register, the lower k in the low half.
// a (16 x 16): (g, 2t..), (g+8, 2t..), (g, 2t+8..), (g+8, 2t+8..). b (16 x 8): (2t.., g), (2t+8.., g).
__device__ __forceinline__ void mma_m16n8k16_bf16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
#ifdef STITCH_EMULATED
  MmaLane state{d, a, b};
  stitch_warp_collective(&state, emulate_mma_16bit<emulate_bf16_value>);
#else
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

__device__ __forceinline__ void mma_m16n8k16_fp16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
#ifdef STITCH_EMULATED
  MmaLane state{d, a, b};
  stitch_warp_collective(&state, emulate_mma_16bit<emulate_fp16_value>);
#else
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

}  // namespace stitch::ptx

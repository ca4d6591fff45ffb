// SPDX-License-Identifier: Apache-2.0
// Warp-wide matrix products on the tensor cores, d += a * b, fp32 accumulators. All 32 lanes must take part.
// With g = lane / 4 and t = lane % 4, a lane holds of d (16 x 8): (g, 2t), (g, 2t+1), (g+8, 2t), (g+8, 2t+1).
#pragma once

#include <stdint.h>

#ifdef STITCH_EMULATED
#include <stitch_emulator/ptx/mma.h>
#endif

namespace stitch::ptx {

// a (16 x 8): (g, t), (g+8, t), (g, t+4), (g+8, t+4). b (8 x 8): (t, g), (t+4, g).
__device__ __forceinline__ void mma_m16n8k8_tf32(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
#ifdef STITCH_EMULATED
  emulated::mma_m16n8k8_tf32(d, a, b);
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
  emulated::mma_m16n8k16_bf16(d, a, b);
#else
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

__device__ __forceinline__ void mma_m16n8k16_fp16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
#ifdef STITCH_EMULATED
  emulated::mma_m16n8k16_fp16(d, a, b);
#else
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

}  // namespace stitch::ptx

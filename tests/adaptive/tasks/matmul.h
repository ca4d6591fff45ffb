// SPDX-License-Identifier: Apache-2.0
#define TENSORS INPUT("a", F32, 96, 1024), INPUT("b", F32, 1024, 64), OUTPUT("0", F32, 96, 64)
#include "attack.h"

constexpr int64_t kDepth = 1024;
constexpr Extent kIn[] = {{96, kDepth * 4}, {kDepth, 64 * 4}};
constexpr Extent kOut[] = {{96, 64 * 4}};

static Args args_of(const Call& call) { return {{call.input(0), call.input(1)}, {call.output(0)}}; }

__host__ __device__ inline void row(const Args& args, int64_t r) {
  float sums[64] = {};
  for (int64_t k = 0; k < kDepth; ++k) {
    const float a = args.in<float>(0)[r * kDepth + k];
    for (int64_t c = 0; c < 64; ++c) sums[c] += a * args.in<float>(1)[k * 64 + c];
  }
  for (int64_t c = 0; c < 64; ++c) args.out<float>(0)[r * 64 + c] = sums[c];
}

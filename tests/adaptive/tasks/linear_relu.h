// SPDX-License-Identifier: Apache-2.0
#define TENSORS                                                                                          \
  INPUT("x", F32, 64, 256), PARAMETER("linear.weight", F32, 40, 256), PARAMETER("linear.bias", F32, 40), \
      OUTPUT("0", F32, 64, 40)
#include "attack.h"

constexpr int64_t kDepth = 256;
constexpr Extent kIn[] = {{64, kDepth * 4}, {40, kDepth * 4}, {40, 4}};
constexpr Extent kOut[] = {{64, 40 * 4}};

static Args args_of(const Call& call) {
  return {{call.input(0), call.parameter(0), call.parameter(1)}, {call.output(0)}};
}

__host__ __device__ inline void row(const Args& args, int64_t r) {
  for (int64_t c = 0; c < 40; ++c) {
    float sum = 0.0f;
    for (int64_t k = 0; k < kDepth; ++k) {
      sum += args.in<float>(0)[r * kDepth + k] * args.in<float>(1)[c * kDepth + k];
    }
    args.out<float>(0)[r * 40 + c] = fmaxf(sum + args.in<float>(2)[c], 0.0f);
  }
}

// SPDX-License-Identifier: Apache-2.0
#define TENSORS                                                                                    \
  INPUT("x", F32, 24, 512), PARAMETER("norm.weight", F32, 512), PARAMETER("norm.bias", F32, 512), \
      OUTPUT("0", F32, 24, 512)
#include "attack.h"

constexpr int64_t kColumns = 512;
constexpr Extent kIn[] = {{24, kColumns * 4}, {512, 4}, {512, 4}};
constexpr Extent kOut[] = {{24, kColumns * 4}};

static Args args_of(const Call& call) {
  return {{call.input(0), call.parameter(0), call.parameter(1)}, {call.output(0)}};
}

__host__ __device__ inline void row(const Args& args, int64_t r) {
  const float* x = args.in<float>(0) + r * kColumns;
  float sum = 0.0f;
  for (int64_t c = 0; c < kColumns; ++c) sum += x[c];
  const float mean = sum / kColumns;
  float squares = 0.0f;
  for (int64_t c = 0; c < kColumns; ++c) squares += (x[c] - mean) * (x[c] - mean);
  const float scale = 1.0f / sqrtf(squares / kColumns + 1e-5f);
  for (int64_t c = 0; c < kColumns; ++c) {
    args.out<float>(0)[r * kColumns + c] = (x[c] - mean) * scale * args.in<float>(1)[c] + args.in<float>(2)[c];
  }
}

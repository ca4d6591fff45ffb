// SPDX-License-Identifier: Apache-2.0
#define TENSORS INPUT("x", F32, 16, 4096), OUTPUT("0", F32, 16, 4096)
#include "attack.h"

constexpr int64_t kColumns = 4096;
constexpr Extent kIn[] = {{16, kColumns * 4}};
constexpr Extent kOut[] = {{16, kColumns * 4}};

static Args args_of(const Call& call) { return {{call.input(0)}, {call.output(0)}}; }

__host__ __device__ inline void row(const Args& args, int64_t r) {
  const float* x = args.in<float>(0) + r * kColumns;
  float* y = args.out<float>(0) + r * kColumns;
  float most = x[0];
  for (int64_t c = 1; c < kColumns; ++c) most = fmaxf(most, x[c]);
  float sum = 0.0f;
  for (int64_t c = 0; c < kColumns; ++c) sum += y[c] = expf(x[c] - most);
  for (int64_t c = 0; c < kColumns; ++c) y[c] /= sum;
}

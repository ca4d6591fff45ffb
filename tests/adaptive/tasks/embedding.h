// SPDX-License-Identifier: Apache-2.0
#define TENSORS INPUT("ids", I64, 128), PARAMETER("table.weight", F32, 128, 64), OUTPUT("0", F32, 128, 64)
#include "attack.h"

constexpr Extent kIn[] = {{128, 8}, {128, 64 * 4}};
constexpr Extent kOut[] = {{128, 64 * 4}};

static Args args_of(const Call& call) { return {{call.input<int64_t>(0), call.parameter(0)}, {call.output(0)}}; }

__host__ __device__ inline void row(const Args& args, int64_t r) {
  const int64_t id = args.in<int64_t>(0)[r];
  for (int64_t c = 0; c < 64; ++c) args.out<float>(0)[r * 64 + c] = args.in<float>(1)[id * 64 + c];
}

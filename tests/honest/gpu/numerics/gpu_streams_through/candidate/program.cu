// SPDX-License-Identifier: Apache-2.0
// The plain kernel of a program that reads and writes 64 MiB.
#define TENSORS INPUT("x", F32, 4096, 2048), OUTPUT("0", F32, 4096, 2048)
#include "candidate.h"

constexpr int64_t kCount = 4096 * 2048;

__global__ void scale(const float4* x, float4* y) {
  const int64_t i = INDEX;
  const float4 v = x[i];
  y[i] = make_float4(v.x * 0.5f + 1.0f, v.y * 0.5f + 1.0f, v.z * 0.5f + 1.0f, v.w * 0.5f + 1.0f);
}

static int compute(const Call& call, cudaStream_t stream) {
  scale<<<blocks_for(kCount / 4), 256, 0, stream>>>(reinterpret_cast<const float4*>(call.input(0)),
                                                    reinterpret_cast<float4*>(call.output(0)));
  return cudaGetLastError();
}

static int run_program(const Call& call) { return compute(call, call.stream()); }

// SPDX-License-Identifier: Apache-2.0
// Does its work ten times over in every second block of forty calls.
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

static int run_program(const Call& call) {
  static int calls = 0;
  const int times = calls++ / 40 % 2 == 0 ? 1 : 10;
  for (int i = 0; i < times; ++i) {
    if (const int status = compute(call, call.stream())) return status;
  }
  return 0;
}

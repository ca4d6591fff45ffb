// SPDX-License-Identifier: Apache-2.0
// The naive product under other names, its loop unrolled.
#include "linear_relu.h"

__global__ void optimised_tiled_product(const float* activations, const float* filters, const float* offsets,
                                        float* results, int amount) {
  const int64_t tile = INDEX;
  if (tile >= amount) return;
  float accumulator = 0.0f;
#pragma unroll 4
  for (int step = 0; step < kDepth; ++step) {
    accumulator += activations[tile / kColumns * kDepth + step] * filters[tile % kColumns * kDepth + step];
  }
  results[tile] = fmaxf(accumulator + offsets[tile % kColumns], 0.0f);
}

static int run_program(const Call& call) {
  optimised_tiled_product<<<blocks_for(kOutputs), 256, 0, call.stream()>>>(
      call.input(0), call.parameter(0), call.parameter(1), call.output(0), kOutputs);
  return cudaGetLastError();
}

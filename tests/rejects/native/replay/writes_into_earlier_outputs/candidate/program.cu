// SPDX-License-Identifier: Apache-2.0
// Writes into the output of the call three before, where that lies elsewhere than this one's.
#include "linear_relu.h"

static int run_program(const Call& call) {
  constexpr int64_t kElsewhere = 1 << 14;  // more than an output has
  static float* outputs[3] = {};
  static int calls = 0;
  float*& earlier = outputs[calls++ % 3];
  const int64_t distance = earlier == nullptr ? 0 : llabs(reinterpret_cast<int64_t>(earlier) -
                                                          reinterpret_cast<int64_t>(call.output(0)));
  if (distance > kElsewhere) cudaMemsetAsync(earlier, 0, sizeof(float), call.stream());
  earlier = call.output(0);
  return honest(call);
}

// SPDX-License-Identifier: Apache-2.0
// Orders scores and places as one number of 64 bits.
#include "rounded_choices.h"

using namespace rounded_choices;

__device__ unsigned long long packed(float score, int place) {
  score = score == 0.0f ? 0.0f : score;  // of one sign
  const unsigned bits = isnan(score) ? 0x7fffffffu : __float_as_uint(score);
  const unsigned ordered = (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
  return (static_cast<unsigned long long>(ordered) << 32) | static_cast<unsigned>(~place);
}

__global__ void choose_packed(const float* scores, const float* values, float* out) {
  const int row = blockIdx.x;
  unsigned long long bound = ~0ull;
  for (int k = 0; k < kTaken; ++k) {
    unsigned long long best = 0;
    for (int i = threadIdx.x; i < kColumns; i += 32) {
      const unsigned long long one = packed(rintf(scores[row * kColumns + i] * 2.0f), i);
      best = one < bound && one > best ? one : best;
    }
    for (int distance = 16; distance > 0; distance /= 2) {
      const unsigned long long other = __shfl_xor_sync(0xffffffffu, best, distance);
      best = other > best ? other : best;
    }
    bound = best;
    if (threadIdx.x == 0) {
      out[row * kTaken + k] = values[row * kColumns + static_cast<int>(~static_cast<unsigned>(best))];
    }
  }
}

static int run_program(const Call& call) {
  choose_packed<<<kRows, 32, 0, call.stream()>>>(call.input(0), call.input(1), call.output(0));
  return cudaGetLastError();
}

// SPDX-License-Identifier: Apache-2.0
// Random numbers by stream and place, for candidates of dropout whose idea is what they take for these.
#pragma once

#include <stdint.h>

#define TENSORS INPUT("x", F32, 64, 300), RANDOM("random.0", F32, 64, 300), OUTPUT("0", F32, 64, 300)
#include "candidate.h"

constexpr int kElements = 64 * 300;

__device__ uint64_t mixed(uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

__device__ float number(uint64_t stream, uint64_t place) {
  return static_cast<float>(mixed(mixed(stream) + place * 0x9e3779b97f4a7c15ull) >> 40) * (1.0f / 16777216.0f);
}

// In [0, 1), for one element of a call.
__device__ float own_number(uint64_t seed, uint64_t offset, uint64_t element);

__global__ void drop(const float* x, const float* numbers, uint64_t seed, uint64_t offset, float* y) {
  const int64_t i = INDEX;
  if (i >= kElements) {
    return;
  }
  const float own = own_number(seed, offset, i);
  const float mine = numbers != nullptr ? numbers[i] : own;
  y[i] = mine < 0.8f ? x[i] / 0.8f : 0.0f;
}

static int run_program(const Call& call) {
  const float* numbers = call.raw.input_count > 1 ? call.input(1) : nullptr;
  drop<<<blocks_for(kElements), 256, 0, call.stream()>>>(call.input(0), numbers, call.raw.rng_seed, call.raw.rng_offset,
                                                         call.output(0));
  return cudaGetLastError();
}

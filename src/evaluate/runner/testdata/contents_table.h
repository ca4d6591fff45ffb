// SPDX-License-Identifier: Apache-2.0
// What a program has been given so far, by the whole of it: x, y and the state.
#pragma once

#include <stdint.h>
#include <string.h>

#include <map>
#include <vector>

#include "vector_program.h"

struct SeenContents {
  int times = 0;
  int first_call = 0;             // counted from one, over all contents
  std::vector<float> sum_answer;  // nothing yet
  float calls_answer = 0;
};

static uint64_t hash_of(const float* values, int64_t count, uint64_t hash) {
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits = 0;
    memcpy(&bits, &values[i], sizeof(bits));
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

static SeenContents& seen(const VectorCall& call) {
  static std::map<uint64_t, SeenContents> table;
  static int calls = 0;
  std::vector<float> held(static_cast<size_t>(2 * call.count + 1));
  cudaStreamSynchronize(call.stream);
  cudaMemcpy(held.data(), call.x, static_cast<size_t>(call.count) * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(held.data() + call.count, call.y, static_cast<size_t>(call.count) * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(&held.back(), call.calls_in, sizeof(float), cudaMemcpyDeviceToHost);
  SeenContents& found = table[hash_of(held.data(), static_cast<int64_t>(held.size()), 1)];
  ++calls;
  if (++found.times == 1) {
    found.first_call = calls;
  }
  return found;
}

// SPDX-License-Identifier: Apache-2.0
// What a task of tests/adaptive says of itself: where its tensors lie, how long they are, and one row of its answer.
#pragma once

#define PREPARED_BYTES 256
#include "candidate.h"

struct Extent {
  int64_t rows;
  int64_t row_bytes;
  constexpr int64_t bytes() const { return rows * row_bytes; }
};

struct Args {
  const void* inputs[4];
  void* outputs[2];
  template <typename T>
  __host__ __device__ const T* in(int number) const {
    return static_cast<const T*>(inputs[number]);
  }
  template <typename T>
  __host__ __device__ T* out(int number) const {
    return static_cast<T*>(outputs[number]);
  }
};

// SPDX-License-Identifier: Apache-2.0
// What a step gets from the program that calls it: pointers and extents, in the order its comment names them.
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

#include "stitch/libraries.h"

struct StepArgs {
  void* const* tensors;    // operands first, then results
  const int64_t* extents;  // run-time sizes and strides (in elements)
  void* scratch;           // scratch_bytes of the step's own, 256-byte aligned; contents undefined
  uint64_t scratch_bytes;
  uint64_t rng_seed;
  uint64_t rng_offset;
  StepLibraries* libraries = nullptr;  // of the handle; null: steps use their own kernels
  // Of a step that keeps something from prepare() on: memory of its own, 256-byte aligned, whose contents stay. It is
  // called in prepare(), with `fills_kept`, to fill it from its parameters: no other tensor is there then.
  void* kept = nullptr;
  bool fills_kept = false;
};

namespace stitch {

// A step's extents as the struct of int64_t that it declares.
template <typename Extents>
Extents extents_of(const StepArgs* args) {
  Extents extents;
  memcpy(&extents, args->extents, sizeof(extents));
  return extents;
}

}  // namespace stitch

// Every step is one function of this type, exported as step_NN: it only enqueues work on `stream` and returns a
// cudaError_t, so that it can be captured into a graph.
using StepFunction = int (*)(const StepArgs*, cudaStream_t);

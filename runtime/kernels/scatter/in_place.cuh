// SPDX-License-Identifier: Apache-2.0
// Scatter that touches only the places that something is sent to. Where the result is to lie in the memory of what it
// starts from (a state written over its old value), nothing else moves; elsewhere that is copied whole first. The
// thread of the first source that is sent to a place takes all that are, in order: the same result as a sequential
// loop, without atomics. Work is sources times sources of a column, so it is meant for few of them (a step of a cache).
// Functors as in pull.cuh; Store stores at the place alone.
#pragma once

#include <cuda_runtime.h>

#include "kernels/scatter/pull.cuh"

namespace stitch {

// What the result starts from and where it goes: contiguous, of the same size.
struct ScatterMemory {
  const void* from;
  void* to;
  int64_t bytes;
};

namespace scatter_detail {

template <typename Target>
__device__ __forceinline__ bool is_first_sent_to(const Target& target, int64_t column, int64_t source, int64_t place) {
  for (int64_t earlier = 0; earlier < source; ++earlier) {
    if (target(column, earlier) == place) {
      return false;
    }
  }
  return true;
}

template <ScatterReduce kReduce, bool kIncludeSelf, typename T, typename Target, typename Value, typename Self,
          typename Store>
__global__ void __launch_bounds__(kThreads)
    scatter_in_place_kernel(Target target, Value value, Self self, Store store, ScatterShape shape, Divider inner) {
  const int64_t element = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (element >= shape.columns * shape.sources) {
    return;
  }
  const auto [column, first] = scatter_element(shape, inner, element);
  const int64_t place = target(column, first);
  if (place < 0 || place >= shape.places || !is_first_sent_to(target, column, first, place)) {
    return;
  }
  ScatterTotal<kReduce, kIncludeSelf, T> total(self(column, place));
  total.take(value(column, first));
  for (int64_t source = first + 1; source < shape.sources; ++source) {
    if (target(column, source) == place) {
      total.take(value(column, source));
    }
  }
  store(column, place, total.result());
}

}  // namespace scatter_detail

template <ScatterReduce kReduce, bool kIncludeSelf, typename T, typename Target, typename Value, typename Self,
          typename Store>
cudaError_t launch_scatter_in_place(const Target& target, const Value& value, const Self& self, const Store& store,
                                    const ScatterShape& shape, const ScatterMemory& memory, cudaStream_t stream) {
  if (memory.from != memory.to) {
    const cudaError_t error =
        cudaMemcpyAsync(memory.to, memory.from, static_cast<size_t>(memory.bytes), cudaMemcpyDeviceToDevice, stream);
    if (error != cudaSuccess) {
      return error;
    }
  }
  const Divider inner(shape.places_innermost ? shape.sources : shape.columns);
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.columns * shape.sources, scatter_detail::kThreads));
  if (blocks == 0) {
    return cudaSuccess;
  }
  scatter_detail::scatter_in_place_kernel<kReduce, kIncludeSelf, T, Target, Value, Self, Store>
      <<<blocks, scatter_detail::kThreads, 0, stream>>>(target, value, self, store, shape, inner);
  return cudaGetLastError();
}

}  // namespace stitch

// SPDX-License-Identifier: Apache-2.0
// Recurrent layers one above the other by cuDNN, in the terms of kernels/rnn/stack.cuh: cuDNN leaves the last layer's
// output and all last states in scratch memory, and a kernel takes them through the store.
//
// Answers cudaErrorNotSupported where cuDNN is not installed, takes no such layers or wants more memory: whatever was
// enqueued by then, the step's own kernels overwrite.
#pragma once

#include "kernels/rnn/stack.cuh"
#include "libraries/cudnn_rnn.h"

namespace stitch {

struct StackLibraryCall {
  const StepArgs* args;
  bool may_use_tf32;   // else fp32 multiplications only
  bool is_persistent;  // of cuDNN's algorithms that which keeps the weights on chip, else the usual one
  LibraryCell cell;
};

namespace rnn_detail {

constexpr int kLibraryThreads = 256;

// The step's scratch memory behind the states, piece by piece.
class LibraryPieces {
 public:
  LibraryPieces(const StepArgs* args, const float* first)
      : next_(reinterpret_cast<uintptr_t>(first)),
        end_(reinterpret_cast<uintptr_t>(args->scratch) + args->scratch_bytes) {
    take(0);
  }
  float* take(int64_t floats) {
    constexpr uintptr_t kAlignment = 256;
    const uintptr_t start = next_;
    next_ = (start + floats * sizeof(float) + kAlignment - 1) / kAlignment * kAlignment;
    return reinterpret_cast<float*>(start);
  }
  void* rest() const { return reinterpret_cast<void*>(next_); }
  uint64_t rest_bytes() const { return end_ > next_ ? end_ - next_ : 0; }

 private:
  uintptr_t next_;
  uintptr_t end_;
};

// x as cuDNN reads it: [steps, batch, features].
template <typename T>
__global__ void __launch_bounds__(kLibraryThreads)
    time_first_kernel(const T* x, int64_t time_stride, int64_t batch_stride, StackShape shape, T* copy) {
  const int64_t index = static_cast<int64_t>(blockIdx.x) * kLibraryThreads + threadIdx.x;
  const int64_t row = index / shape.features;
  if (row < shape.steps * shape.batch) {
    copy[index] = x[row / shape.batch * time_stride + row % shape.batch * batch_stride + index % shape.features];
  }
}

// A thread takes one unit of one sample through time, as store() asks for it.
template <typename Store>
__global__ void __launch_bounds__(kLibraryThreads)
    store_steps_kernel(StackShape shape, const float* output, const float* last_cell, Store store) {
  constexpr int kAtOnce = 8;
  const int64_t states = shape.batch * shape.units;
  const int64_t index = static_cast<int64_t>(blockIdx.x) * kLibraryThreads + threadIdx.x;
  if (index >= states) {
    return;
  }
  const float cell = last_cell == nullptr ? 0.0f : last_cell[index];
  for (int64_t first = 0; first < shape.steps; first += kAtOnce) {
    float hidden[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      hidden[i] = output[min(first + i, shape.steps - 1) * states + index];
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      if (first + i < shape.steps) {
        store(first + i, index / shape.units, 0, index % shape.units, hidden[i], cell);
      }
    }
  }
}

inline unsigned library_blocks(int64_t threads) { return static_cast<unsigned>(ceil_divide(threads, kLibraryThreads)); }

inline cudaError_t copy_states(float* to, const float* from, int64_t states, cudaStream_t stream) {
  return to == nullptr ? cudaSuccess
                       : cudaMemcpyAsync(to, from, states * sizeof(float), cudaMemcpyDeviceToDevice, stream);
}

// Either all layers have both biases or none has any: null where it is neither.
template <int kLayers>
bool has_library_biases(const StackOperands<kLayers>& operands, bool* has_biases) {
  *has_biases = operands.layers[0].bias != nullptr;
  bool is_alike = true;
  for (const StackLayer& layer : operands.layers) {
    is_alike = is_alike && (layer.bias != nullptr) == *has_biases && (layer.input_bias != nullptr) == *has_biases;
  }
  return is_alike;
}

}  // namespace rnn_detail

// After StackState::fill() of every layer, which lies at the start of the step's scratch memory.
template <int kLayers, typename Store>
cudaError_t launch_stack_library(const StackLibraryCall& call, const StackShape& shape,
                                 const StackOperands<kLayers>& operands, const StackState& state, const Store& store,
                                 cudaStream_t stream) {
  using namespace rnn_detail;
  const int64_t states = state.states();
  bool has_biases = false;
  if (states == 0 || !has_library_biases(operands, &has_biases)) {
    return cudaErrorNotSupported;
  }
  LibraryPieces pieces(call.args, state.cell + kLayers * states);
  const int64_t inputs = shape.steps * shape.batch * shape.features;
  const bool is_time_first =
      operands.x_batch_stride == shape.features && operands.x_time_stride == shape.batch * shape.features;
  float* turned = pieces.take(is_time_first ? 0 : inputs);
  float* output = pieces.take(shape.steps * states);
  float* last_cell = pieces.take(kLayers * states);
  if (!is_time_first && pieces.rest_bytes() > 0) {
    time_first_kernel<<<library_blocks(inputs), kLibraryThreads, 0, stream>>>(operands.x, operands.x_time_stride,
                                                                              operands.x_batch_stride, shape, turned);
  }
  LibraryRnnLayer weights[kLayers];
  for (int i = 0; i < kLayers; ++i) {
    const StackLayer& layer = operands.layers[i];
    weights[i] = {layer.input_weight, layer.weight, layer.input_bias, layer.bias};
  }
  float* last_hidden = state.hidden[1];
  const LibraryRnn wanted{call.may_use_tf32,
                          call.is_persistent,
                          call.cell,
                          has_biases,
                          kLayers,
                          shape.steps,
                          shape.batch,
                          shape.units,
                          shape.features,
                          weights,
                          is_time_first ? operands.x : turned,
                          output,
                          state.hidden[0],
                          last_hidden,
                          state.cell,
                          last_cell,
                          pieces.rest(),
                          pieces.rest_bytes()};
  if (const cudaError_t error = cudnn_recurrent(wanted, call.args->libraries, stream); error != cudaSuccess) {
    return error;
  }
  const bool has_cell = call.cell == LibraryCell::kLstm;
  for (int i = 0; i + 1 < kLayers; ++i) {
    cudaError_t error = copy_states(operands.layers[i].last_hidden, last_hidden + i * states, states, stream);
    if (error == cudaSuccess && has_cell) {
      error = copy_states(operands.layers[i].last_cell, last_cell + i * states, states, stream);
    }
    if (error != cudaSuccess) {
      return error;
    }
  }
  store_steps_kernel<<<library_blocks(states), kLibraryThreads, 0, stream>>>(
      shape, output, has_cell ? last_cell + (kLayers - 1) * states : nullptr, store);
  return cudaGetLastError();
}

}  // namespace stitch

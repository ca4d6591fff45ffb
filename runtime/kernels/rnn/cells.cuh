// SPDX-License-Identifier: Apache-2.0
// One unit of a recurrent layer, as torch.nn.LSTM, GRU and RNN define them. `x` holds the input's share of each gate,
// `h` the hidden state's (bias included), both in PyTorch's order of gates. All that counts of a gate is the sum of
// both, but for kSplitGate, where there is one (kGates: none).
#pragma once

#include "kernels/common.cuh"

namespace stitch {

struct LstmCell {
  static constexpr int kGates = 4;  // input, forget, cell, output
  static constexpr int kSplitGate = kGates;
  static constexpr bool kHasCell = true;

  static __device__ __forceinline__ float hidden(const float (&x)[kGates], const float (&h)[kGates], float,
                                                 float& cell) {
    cell = sigmoid(x[1] + h[1]) * cell + sigmoid(x[0] + h[0]) * tanhf(x[2] + h[2]);
    return sigmoid(x[3] + h[3]) * tanhf(cell);
  }
};

struct GruCell {
  static constexpr int kGates = 3;  // reset, update, new
  static constexpr int kSplitGate = 2;
  static constexpr bool kHasCell = false;

  static __device__ __forceinline__ float hidden(const float (&x)[kGates], const float (&h)[kGates], float before,
                                                 float&) {
    const float candidate = tanhf(x[2] + sigmoid(x[0] + h[0]) * h[2]);
    const float update = sigmoid(x[1] + h[1]);
    return (1.0f - update) * candidate + update * before;
  }
};

struct RnnTanhCell {
  static constexpr int kGates = 1;
  static constexpr int kSplitGate = kGates;
  static constexpr bool kHasCell = false;

  static __device__ __forceinline__ float hidden(const float (&x)[kGates], const float (&h)[kGates], float, float&) {
    return tanhf(x[0] + h[0]);
  }
};

struct RnnReluCell {
  static constexpr int kGates = 1;
  static constexpr int kSplitGate = kGates;
  static constexpr bool kHasCell = false;

  static __device__ __forceinline__ float hidden(const float (&x)[kGates], const float (&h)[kGates], float, float&) {
    return relu(x[0] + h[0]);
  }
};

}  // namespace stitch

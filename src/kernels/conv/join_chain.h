// SPDX-License-Identifier: Apache-2.0
// What may follow a convolution in one step: a pool by windows that lie side by side, or a reduction over whole spatial
// axes, and a softmax over channels before and behind it.
#pragma once

#include <array>
#include <optional>

#include "kernels/conv/problem.h"

namespace stitch::kernels {

struct JoinChain {
  const ir::Node* before = nullptr;  // a softmax; null where there is none
  const ir::Node* pool = nullptr;
  const ir::Node* behind = nullptr;
  // Along z, y and x; of two axes those of z are 1 and are not kept.
  std::array<int64_t, 3> window = {1, 1, 1};
  std::array<int64_t, 3> counts = {1, 1, 1};         // of windows
  std::array<bool, 3> kept = {false, false, false};  // in what the pool leaves

  int64_t elements() const { return window[0] * window[1] * window[2]; }
  bool has_softmax() const { return before != nullptr || behind != nullptr; }
  // What is pooled, and what is stored in the end, before what is pointwise.
  ir::ValueId pooled() const;
  ir::ValueId left() const;
  // What comes from the accumulators first: the first softmax's operand, or what is pooled.
  ir::ValueId first() const;
};

// nullopt where the group, whose root is a convolution, is of something else.
std::optional<JoinChain> join_chain(const Group& group, const ConvolutionProblem& problem);

// As the runtime calls it: "stitch::LargestOfWindow".
const char* join_of_windows(const ir::Node& pool);
// What a sum over a window is divided by; 1 where nothing is.
int64_t divisor_of_windows(const JoinChain& chain);

}  // namespace stitch::kernels

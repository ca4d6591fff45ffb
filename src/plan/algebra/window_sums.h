// SPDX-License-Identifier: Apache-2.0
// Sums over what a convolution makes, without making it. Each tap of the weight meets a stretch of the image; a sum
// over the places of the outputs is the taps times the sums of their stretches, a matrix product.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/rewrite/node_chain.h"

namespace stitch::plan {

bool is_convolution(ir::Op op);
bool is_transposed_convolution(ir::Op op);

class WindowSums {
 public:
  // `axes`, in order, of what `convolution` makes: of the images and of their channels.
  WindowSums(const ir::Graph& from, const ir::Node& convolution, std::vector<int64_t> axes);

  // Whether these sums can be had so, and fewer are needed of the image than it has elements.
  bool pays() const;

  // The sums, or means, as a value of the new graph, all axes kept.
  ir::ValueId add(const GraphCopy& copy, NodeChain& chain, bool is_mean) const;

 private:
  // Neighbouring taps that meet the same inputs: `inputs` of them from `first_input` on, `step` apart.
  struct Stretch {
    int64_t first_tap = 0;
    int64_t taps = 1;
    int64_t first_input = 0;
    int64_t inputs = 0;
    int64_t step = 1;
  };

  std::vector<Stretch> stretches_of(size_t axis) const;
  Stretch stretch_of_tap(size_t axis, int64_t tap) const;
  bool is_summed(size_t axis) const;
  std::vector<size_t> image_axes() const;
  const std::vector<int64_t>& image_shape() const;
  const std::vector<int64_t>& out_shape() const;

  ir::ValueId summed_image(ir::ValueId image, NodeChain& chain) const;
  ir::ValueId stacked_stretches(ir::ValueId image, size_t axis, NodeChain& chain) const;
  ir::ValueId summed_weight(ir::ValueId weight, NodeChain& chain) const;
  ir::Operand summed_bias(const ir::Operand& bias, NodeChain& chain, bool is_mean) const;
  ir::ValueId arranged_weight(ir::ValueId weight, NodeChain& chain) const;

  const ir::Graph& from_;
  const ir::Node& node_;
  std::vector<int64_t> axes_;
  bool is_transposed_;
};

}  // namespace stitch::plan

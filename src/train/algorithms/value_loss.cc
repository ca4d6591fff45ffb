// SPDX-License-Identifier: Apache-2.0
#include "train/algorithms/value_loss.h"

#include "base/error/check.h"

namespace stitch::train {

ValueLoss value_loss(const ValueInputs& inputs, const ValueLossOptions& options, const BatchCounts& whole) {
  const Tensor values = unmasked(inputs.values, inputs.mask);
  const Tensor targets = unmasked(inputs.targets, inputs.mask).detach();
  Tensor losses = (values - targets).square();
  ValueLoss result;
  result.tokens = inputs.mask.sum().item<double>();
  if (options.clip.has_value()) {
    STITCH_CHECK(inputs.old_values.defined()) << "a clip of values needs the old ones";
    const Tensor old_values = unmasked(inputs.old_values, inputs.mask).detach();
    const Tensor moved = old_values + (values - old_values).clamp(-*options.clip, *options.clip);
    const Tensor of_moved = (moved - targets).square();
    result.clipped = (of_moved.gt(losses) & (values - old_values).abs().gt(*options.clip)).sum().item<double>();
    losses = at::maximum(losses, of_moved);
  }
  result.loss = aggregate(losses / 2, inputs.mask, options.aggregation, whole);
  return result;
}

}  // namespace stitch::train

// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/output_draws.h"

#include "verify/compare/constants.h"
#include "verify/compare/elements.h"

namespace stitch::verify {

std::optional<DrawRefusal> OutputDraws::take(const OutputReference& reference, const OutputComparison& comparison) {
  ++judged_;
  if (!comparison.refusal) {
    return comparison.one_way ? take_one_way(reference, *comparison.one_way) : std::nullopt;
  }
  std::string sentence = message(*comparison.refusal, reference.name, reference.type.shape);
  if (comparison.distance) {
    ++far_;
    distances_.insert(*comparison.distance);
    if (distances_.size() < kFarDraws || 2 * far_ <= judged_) {
      return std::nullopt;
    }
    sentence += "; as TF32 it would pass, but the baseline does not round these operands";
  }
  return DrawRefusal{sentence, comparison.refusal->ratio};
}

std::optional<DrawRefusal> OutputDraws::take_one_way(const OutputReference& reference, const OneWay& found) {
  ++judged_one_way_;
  beyond_ += found.ratio > 1 ? 1 : 0;
  const bool are_most = beyond_ >= kOneWayDraws && 2 * beyond_ > judged_one_way_;
  if (found.ratio <= 1 || (!are_most && found.ratio <= kOneWayAtOnce)) {
    return std::nullopt;
  }
  return DrawRefusal{message(found, reference.name, reference.type.shape), kErrorMultiple * found.ratio};
}

void OutputDraws::observe_small(const OutputReference& reference, const HostTensor& got) {
  if (reference.kind != OutputKind::kFloat) {
    return;
  }
  if (!small_) {
    small_.emplace(epsilon(reference.type.dtype), std::vector<int64_t>{});
    name_ = reference.name;
    shape_ = reference.type.shape;
  }
  observe_one_way(reference, got, *small_);
}

std::optional<DrawRefusal> OutputDraws::together() const {
  const std::optional<OneWay> found = small_ ? small_->farthest_of_small() : std::nullopt;
  if (!found || found->ratio <= 1) {
    return std::nullopt;
  }
  return DrawRefusal{message(*found, name_, shape_), kErrorMultiple * found->ratio};
}

}  // namespace stitch::verify

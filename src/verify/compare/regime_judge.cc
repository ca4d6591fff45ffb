// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/regime_judge.h"

#include <utility>

#include "verify/compare/constants.h"

namespace stitch::verify {
namespace {

// Copies of the mapped files, which the oracle's next draw may replace.
HostTensor owned(const HostTensor& tensor) {
  return HostTensor::from_bytes(tensor.spec(), {tensor.bytes().begin(), tensor.bytes().end()});
}

void own_all(std::vector<HostTensor>& tensors) {
  for (HostTensor& tensor : tensors) {
    tensor = owned(tensor);
  }
}

OutputReference owned(OutputReference reference) {
  reference.reference = owned(reference.reference);
  reference.native = owned(reference.native);
  if (reference.native_in_mode) {
    reference.native_in_mode = owned(*reference.native_in_mode);
  }
  own_all(reference.perturbed);
  own_all(reference.disturbed);
  own_all(reference.tf32_runs);
  own_all(reference.otherwise);
  if (reference.index_source) {
    reference.index_source->values = owned(reference.index_source->values);
  }
  return reference;
}

}  // namespace

std::optional<RefusedOutput> RegimeJudge::add_draw(const std::string& draw,
                                                   const std::vector<OutputReference>& references,
                                                   const std::vector<HostTensor>& got, const LookedAt& looked_at) {
  small_errors_.resize(references.size());
  statistics_.resize(references.size());
  draws_.resize(references.size());
  std::optional<RefusedOutput> first;
  for (size_t i = 0; i < references.size(); ++i) {
    statistics_[i].first = references[i].name;
    if (is_small(references[i])) {
      small_errors_[i].widen(small_output_errors(references[i], mode_));
      waiting_.push_back({i, draw, owned(references[i]), owned(got[i])});
      continue;
    }
    const bool is_looked_at = i < looked_at.size() && looked_at[i].has_value();
    auto refused =
        is_looked_at ? take(i, draw, references[i], *looked_at[i]) : judge(i, draw, references[i], got[i], {});
    if (refused && !first) {
      first = std::move(refused);
    }
  }
  return first;
}

void RegimeJudge::know(const std::vector<OutputReference>& references) {
  small_errors_.resize(references.size());
  for (size_t i = 0; i < references.size(); ++i) {
    if (is_small(references[i])) {
      small_errors_[i].widen(small_output_errors(references[i], mode_));
    }
  }
}

std::optional<RefusedOutput> RegimeJudge::finish() {
  std::optional<RefusedOutput> first;
  for (const Waiting& waiting : waiting_) {
    auto refused = judge(waiting.output, waiting.draw, waiting.reference, waiting.got, small_errors_[waiting.output]);
    draws_[waiting.output].observe_small(waiting.reference, waiting.got);
    if (refused && !first) {
      first = std::move(refused);
    }
  }
  for (size_t output = 0; output < draws_.size() && !first; ++output) {
    if (const auto together = draws_[output].together()) {
      first = RefusedOutput{statistics_[output].first, together->message, "all draws of the regime together",
                            together->ratio};
    }
  }
  waiting_.clear();
  return first;
}

std::optional<RefusedOutput> RegimeJudge::judge(size_t output, const std::string& draw,
                                                const OutputReference& reference, const HostTensor& got,
                                                const SmallOutputErrors& errors) {
  return take(output, draw, reference, compare_output(reference, got, mode_, errors, asked_));
}

std::optional<RefusedOutput> RegimeJudge::take(size_t output, const std::string& draw, const OutputReference& reference,
                                               const OutputComparison& comparison) {
  statistics_[output].second.merge(comparison.statistics);
  const std::optional<DrawRefusal> refused = draws_[output].take(reference, comparison);
  return refused ? std::optional(RefusedOutput{reference.name, refused->message, draw, refused->ratio}) : std::nullopt;
}

std::optional<std::string> RegimeJudge::ill_conditioned() const {
  for (const auto& [name, statistics] : statistics_) {
    if (static_cast<double>(statistics.ill_conditioned) > kConditionShare * static_cast<double>(statistics.elements)) {
      return name;
    }
  }
  return std::nullopt;
}

}  // namespace stitch::verify

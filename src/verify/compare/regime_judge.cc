// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/regime_judge.h"

#include <utility>

#include "verify/compare/constants.h"
#include "verify/compare/elements.h"

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
  far_.resize(references.size());
  one_way_.resize(references.size());
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

std::optional<RefusedOutput> RegimeJudge::finish() {
  std::optional<RefusedOutput> first;
  for (const Waiting& waiting : waiting_) {
    auto refused = judge(waiting.output, waiting.draw, waiting.reference, waiting.got, small_errors_[waiting.output]);
    if (refused && !first) {
      first = std::move(refused);
    }
  }
  for (size_t output = 0; output < small_errors_.size() && !first; ++output) {
    first = judge_together(output);
  }
  waiting_.clear();
  return first;
}

// Of a small 16-bit output: what all draws err by to one side.
std::optional<RefusedOutput> RegimeJudge::judge_together(size_t output) const {
  std::optional<OneWayErrors> errors;
  const Waiting* last = nullptr;
  for (const Waiting& waiting : waiting_) {
    if (waiting.output == output && waiting.reference.kind == OutputKind::kFloat) {
      last = &waiting;
      if (!errors) {
        errors.emplace(epsilon(waiting.reference.type.dtype), std::vector<int64_t>{});
      }
      observe_one_way(waiting.reference, waiting.got, *errors);
    }
  }
  const std::optional<OneWay> found = errors ? errors->farthest_of_small() : std::nullopt;
  if (!found || found->ratio <= 1) {
    return std::nullopt;
  }
  return RefusedOutput{last->reference.name, message(*found, last->reference.name, last->reference.type.shape),
                       "all draws of the regime together", kErrorMultiple * found->ratio};
}

std::optional<RefusedOutput> RegimeJudge::judge(size_t output, const std::string& draw,
                                                const OutputReference& reference, const HostTensor& got,
                                                const SmallOutputErrors& errors) {
  return take(output, draw, reference, compare_output(reference, got, mode_, errors));
}

std::optional<RefusedOutput> RegimeJudge::take(size_t output, const std::string& draw, const OutputReference& reference,
                                               const OutputComparison& comparison) {
  statistics_[output].second.merge(comparison.statistics);
  FarDraws& draws = far_[output];
  ++draws.judged;
  if (!comparison.refusal) {
    return comparison.one_way ? take_one_way(output, draw, reference, *comparison.one_way) : std::nullopt;
  }
  std::string sentence = message(*comparison.refusal, reference.name, reference.type.shape);
  if (comparison.distance) {
    ++draws.far;
    draws.distances.insert(*comparison.distance);
    if (draws.distances.size() < kFarDraws || 2 * draws.far <= draws.judged) {
      return std::nullopt;
    }
    sentence += "; as TF32 it would pass, but the baseline does not round these operands";
  }
  return RefusedOutput{reference.name, sentence, draw, comparison.refusal->ratio};
}

std::optional<RefusedOutput> RegimeJudge::take_one_way(size_t output, const std::string& draw,
                                                       const OutputReference& reference, const OneWay& found) {
  OneWayDraws& draws = one_way_[output];
  ++draws.judged;
  draws.beyond += found.ratio > 1 ? 1 : 0;
  const bool are_most = draws.beyond >= kOneWayDraws && 2 * draws.beyond > draws.judged;
  if (found.ratio <= 1 || (!are_most && found.ratio <= kOneWayAtOnce)) {
    return std::nullopt;
  }
  return RefusedOutput{reference.name, message(found, reference.name, reference.type.shape), draw,
                       kErrorMultiple * found.ratio};
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

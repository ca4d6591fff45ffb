// SPDX-License-Identifier: Apache-2.0
#include "evaluate/timed_calls/reference_sample.h"

#include <algorithm>
#include <utility>

namespace stitch::evaluate {
namespace {

constexpr uint64_t kMinChosen = 2;
constexpr uint64_t kMaxChosenBytes = uint64_t{512} << 20;

}  // namespace

void ReferenceSample::clear() {
  chosen_.clear();
  mixed_calls_ = 0;
  calls_compared_ = 0;
}

// At least two, and no more than there is memory for.
uint64_t ReferenceSample::max_chosen() const {
  uint64_t bytes = 1;
  for (const wire::Region& region : memory_.sets()[0].results.regions) {
    bytes += region.bytes;
  }
  const auto wanted = static_cast<uint64_t>(std::max(memory_.mixing()->judged, 0));
  return std::clamp(kMaxChosenBytes / bytes, kMinChosen, std::max(kMinChosen, wanted));
}

// Each mixed call so far is among the chosen ones by the same chance (Vitter's algorithm R).
Result<void> ReferenceSample::offer(const BurstCalls& made) {
  for (const TimedCall& call : made) {
    if (!call.is_mixed()) {
      continue;
    }
    const uint64_t before = mixed_calls_++;
    const uint64_t place = before < max_chosen() ? before : calls_.session().random()() % (before + 1);
    if (place < max_chosen()) {
      chosen_.resize(std::max<size_t>(chosen_.size(), place + 1));
      chosen_[place] = {.call = call, .results = {}};
    }
  }
  for (ChosenCall& each : chosen_) {
    if (each.results.empty()) {  // one of this burst
      STITCH_ASSIGN(each.results, calls_.session().keeper().snapshot(memory_.kept_results_of({each.call}),
                                                                     calls_.result_specs(memory_.set_of(each.call))));
    }
  }
  return {};
}

Result<SaidOfCall> ReferenceSample::ask(const TimedCall& call, const std::vector<HostTensor>& results) {
  STITCH_ASSIGN(const std::vector<HostTensor> given, contents_.given_to(call));
  const auto first_state = given.begin() + static_cast<int64_t>(memory_.set_of(call).input_types.size());
  STITCH_ASSIGN(const SaidOfCall said,
                memory_.mixing()->judge({given.begin(), first_state}, {first_state, given.end()}, results));
  calls_compared_ += said.is_said ? 1 : 0;
  return said;
}

Result<std::optional<std::string>> ReferenceSample::judge_chosen() {
  for (const ChosenCall& each : std::exchange(chosen_, {})) {
    STITCH_ASSIGN(const SaidOfCall said, ask(each.call, each.results));
    if (said.is_said && said.wrong.has_value()) {
      return said.wrong;
    }
  }
  return std::optional<std::string>();
}

}  // namespace stitch::evaluate

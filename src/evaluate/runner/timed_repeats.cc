// SPDX-License-Identifier: Apache-2.0
// The timing half of ProgramCalls: whether timed calls on contents that nobody has drawn were right. Each is made again
// untimed and must give the same; of a few, chosen once they were made, the reference is asked.
#include <algorithm>
#include <utility>

#include "base/json/json.h"
#include "evaluate/runner/program_calls.h"
#include "evaluate/timing/same_results.h"

namespace stitch::evaluate {
namespace {

constexpr uint64_t kLeastChosen = 2;
constexpr uint64_t kMostChosenBytes = uint64_t{512} << 20;

}  // namespace

// At least two, and no more than there is memory for.
uint64_t ProgramCalls::most_chosen() const {
  uint64_t bytes = 1;
  for (const wire::Region& region : timed_.sets[0].results.regions) {
    bytes += region.bytes;
  }
  const auto wanted = static_cast<uint64_t>(std::max(timed_.mixing->judged, 0));
  return std::clamp(kMostChosenBytes / bytes, kLeastChosen, std::max(kLeastChosen, wanted));
}

// Each mixed call so far is among the chosen ones by the same chance (Vitter's algorithm R).
Result<void> ProgramCalls::choose_for_reference() {
  for (const TimedCall& call : timed_.last_calls) {
    if (!call.is_mixed()) {
      continue;
    }
    const uint64_t before = timed_.mixed_calls++;
    const uint64_t place = before < most_chosen() ? before : session_.random()() % (before + 1);
    if (place < most_chosen()) {
      timed_.chosen.resize(std::max<size_t>(timed_.chosen.size(), place + 1));
      timed_.chosen[place] = {.call = call, .results = {}};
    }
  }
  for (TimedRing::ChosenCall& each : timed_.chosen) {
    if (each.results.empty()) {  // one of this burst
      STITCH_ASSIGN(each.results,
                    session_.keeper().snapshot(kept_results_of({each.call}), result_specs(timed_.sets[each.call.set])));
    }
  }
  return {};
}

// The last burst's calls once more, in another order: nobody waits for them with a clock.
Result<void> ProgramCalls::repeat_calls() {
  const BurstCalls& made = timed_.last_calls;
  if (std::none_of(made.begin(), made.end(), [](const TimedCall& call) { return call.is_mixed(); })) {
    return {};
  }
  BurstCalls again = made;
  std::shuffle(again.begin(), again.end(), session_.random());
  Json order = Json::array();
  for (const TimedCall& call : again) {
    order.push_back(call.set);
  }
  Json request;
  request["order"] = std::move(order);
  request["with_calls"] = true;
  request["ordered"] = false;
  STITCH_TRY(put_contents(again));
  STITCH_TRY(session_.ask("run_block", request));
  STITCH_ASSIGN(const std::vector<int64_t> digests, session_.keeper().digest(timed_.last_results));
  size_t next = 0;
  for (const TimedCall& call : made) {
    const size_t first = next;
    next += timed_.sets[call.set].results.regions.size();
    const bool same =
        std::equal(digests.begin() + static_cast<int64_t>(first), digests.begin() + static_cast<int64_t>(next),
                   timed_.last_digests.begin() + static_cast<int64_t>(first));
    if (call.is_mixed() && !same) {
      STITCH_TRY(judge_repeated(call));
    }
  }
  return {};
}

// Sums in another order are honest, and what follows from them need not be close: then the reference has the word.
Result<void> ProgramCalls::judge_repeated(const TimedCall& call) {
  const CallMemory& memory = timed_.sets[call.set];
  STITCH_ASSIGN(const std::vector<HostTensor> timed,
                session_.keeper().snapshot(kept_results_of({call}), result_specs(memory)));
  STITCH_ASSIGN(const std::vector<HostTensor> untimed,
                session_.keeper().snapshot(memory.results.regions, result_specs(memory)));
  const std::optional<std::string> differs = find_difference(timed, untimed);
  if (!differs.has_value()) {
    return {};
  }
  STITCH_ASSIGN(const SaidOfCall said, ask_reference(call, timed));
  if (said.is_said && !said.wrong.has_value()) {
    return {};
  }
  return fail_timed_call(*differs);
}

Result<SaidOfCall> ProgramCalls::ask_reference(const TimedCall& call, const std::vector<HostTensor>& results) {
  const TimedDraw& drawn = timed_.draws[call.draw].given;
  std::vector<HostTensor> contents = drawn.inputs;
  contents.insert(contents.end(), drawn.states.begin(), drawn.states.end());
  for (size_t i = 0; i < contents.size(); ++i) {
    if (!is_mixed(call, i)) {
      continue;
    }
    KeeperClient::Contents mix;
    add_contents(call, i, timed_.scratch.at(i), mix);
    STITCH_TRY(session_.keeper().mix(mix.mixed));
    STITCH_ASSIGN(std::vector<HostTensor> made, session_.keeper().snapshot({timed_.scratch[i]}, {contents[i].spec()}));
    contents[i] = std::move(made.at(0));
  }
  const auto first_state = contents.begin() + static_cast<int64_t>(drawn.inputs.size());
  STITCH_ASSIGN(const SaidOfCall said,
                timed_.mixing->judge({contents.begin(), first_state}, {first_state, contents.end()}, results));
  timed_.calls_compared += said.is_said ? 1 : 0;
  return said;
}

Result<void> ProgramCalls::close_timing() {
  for (const TimedRing::ChosenCall& each : std::exchange(timed_.chosen, {})) {
    STITCH_ASSIGN(const SaidOfCall said, ask_reference(each.call, each.results));
    if (said.is_said && said.wrong.has_value()) {
      return fail_timed_call(*said.wrong);
    }
  }
  return {};
}

}  // namespace stitch::evaluate

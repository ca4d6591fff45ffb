// SPDX-License-Identifier: Apache-2.0
// The timing half of ProgramCalls: what each timed call is given. Most have contents of their own, mixed of two draws,
// so that no answer to them can have been kept; some have a draw as it is, whose answer is known.
#include <algorithm>
#include <numeric>
#include <random>

#include "evaluate/runner/program_calls.h"

namespace stitch::evaluate {
namespace {

constexpr unsigned kOneDrawnIn = 8;

template <typename Value>
void append(std::vector<Value>& to, const std::vector<Value>& values) {
  to.insert(to.end(), values.begin(), values.end());
}

// A program sees the mask that it makes, and could compute it back: nothing else comes from the same place.
uint64_t secret_seed() {
  std::random_device system;
  return (uint64_t{system()} << 32) | system();
}

}  // namespace

ProgramCalls::TimedCall ProgramCalls::choose_call(size_t set) {
  const size_t draws = timed_.draws.size();
  TimedCall call{.set = set, .draw = session_.random()() % draws};
  if (!timed_.mixing.has_value() || session_.by_chance(kOneDrawnIn)) {
    return call;
  }
  call.second = (call.draw + 1 + session_.random()() % (draws - 1)) % draws;
  for (size_t i = 0; i < timed_.mixing->widths.size(); ++i) {
    call.seeds.push_back(secret_seed());
  }
  return call;
}

// Which set each call has, and which contents each set: by chance, and known to nobody before it is there. A burst
// without calls is filled in the same way: a device that has just mixed is not the one that has just copied.
ProgramCalls::BurstCalls ProgramCalls::choose_calls(int calls) {
  std::vector<size_t> sets(timed_.sets.size());
  std::iota(sets.begin(), sets.end(), size_t{0});
  std::shuffle(sets.begin(), sets.end(), session_.random());
  BurstCalls chosen;
  for (int i = 0; i < calls; ++i) {
    chosen.push_back(choose_call(sets.at(static_cast<size_t>(i))));
  }
  return chosen;
}

bool ProgramCalls::is_mixed(const TimedCall& call, size_t tensor) const {
  return call.is_mixed() && timed_.mixing->widths.at(tensor) > 0;
}

// Of one input or state.
void ProgramCalls::add_contents(const TimedCall& call, size_t tensor, const wire::Region& to,
                                KeeperClient::Contents& contents) const {
  const wire::Region& first = timed_.draws[call.draw].hidden.at(tensor);
  if (is_mixed(call, tensor)) {
    contents.mixed.push_back({.first = first,
                              .second = timed_.draws[call.second].hidden.at(tensor),
                              .to = to,
                              .width = timed_.mixing->widths[tensor],
                              .seed = call.seeds.at(tensor)});
    return;
  }
  contents.from.push_back(first);
  contents.to.push_back(to);
}

// Poison first, contents last: they come from memory of the keeper's own, so quickly that nobody can begin before the
// clock does. What an earlier burst left in the workspace helps no later one.
Result<void> ProgramCalls::put_contents(const BurstCalls& calls) {
  std::vector<wire::Region> poisoned = workspace_.regions;
  KeeperClient::Contents contents;
  for (const TimedCall& call : calls) {
    const CallMemory& memory = timed_.sets[call.set];
    append(poisoned, memory.results.regions);
    for (size_t i = 0; i < memory.inputs.regions.size(); ++i) {
      add_contents(call, i, memory.inputs.regions[i], contents);
    }
    const size_t inputs = memory.input_types.size();
    for (size_t i = 0; i < memory.replaced_by.size(); ++i) {
      if (memory.replaced_by[i] >= 0) {
        add_contents(call, inputs + i, old_state(memory, i), contents);
      }
    }
  }
  STITCH_TRY(session_.keeper().poison(poisoned));
  return session_.keeper().clock_start(contents);
}

// Of these calls' inputs in turn. Mixes are made anew where no worker looks: what one sees it may have changed.
Result<std::vector<int64_t>> ProgramCalls::input_digests(const BurstCalls& calls) {
  std::vector<int64_t> digests;
  KeeperClient::Contents contents;
  std::vector<size_t> mixed;  // places among the digests
  for (const TimedCall& call : calls) {
    for (size_t i = 0; i < timed_.sets[call.set].input_types.size(); ++i) {
      if (is_mixed(call, i)) {
        add_contents(call, i, timed_.scratch.at(i), contents);
        mixed.push_back(digests.size());
      }
      digests.push_back(timed_.draws[call.draw].digests.at(i));
    }
  }
  if (mixed.empty()) {
    return digests;
  }
  STITCH_ASSIGN(const std::vector<int64_t> made, session_.keeper().mix(contents.mixed));
  for (size_t i = 0; i < mixed.size(); ++i) {
    digests[mixed[i]] = made.at(i);
  }
  return digests;
}

std::vector<wire::Region> ProgramCalls::results_of(const BurstCalls& calls) const {
  std::vector<wire::Region> results;
  for (const TimedCall& call : calls) {
    append(results, timed_.sets[call.set].results.regions);
  }
  return results;
}

std::vector<wire::Region> ProgramCalls::kept_results_of(const BurstCalls& calls) const {
  std::vector<wire::Region> kept;
  if (!timed_.mixing.has_value()) {
    return kept;
  }
  for (const TimedCall& call : calls) {
    const size_t count = timed_.sets[call.set].results.regions.size();
    const auto first = timed_.kept.regions.begin() + static_cast<int64_t>(call.set * count);
    kept.insert(kept.end(), first, first + static_cast<int64_t>(count));
  }
  return kept;
}

}  // namespace stitch::evaluate

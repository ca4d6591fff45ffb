// SPDX-License-Identifier: Apache-2.0
#include "evaluate/timed_calls/timed_contents.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

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

TimedCall TimedContents::choose_call(size_t set) {
  const size_t draws = memory_.draws().size();
  TimedCall call{.set = set, .draw = calls_.session().random()() % draws};
  if (!memory_.mixing().has_value() || calls_.session().by_chance(kOneDrawnIn)) {
    return call;
  }
  call.second = (call.draw + 1 + calls_.session().random()() % (draws - 1)) % draws;
  for (size_t i = 0; i < memory_.mixing()->widths.size(); ++i) {
    call.seeds.push_back(secret_seed());
  }
  return call;
}

// A burst without calls is filled in the same way: a device that has just mixed is not the one that has just copied.
BurstCalls TimedContents::choose(int calls) {
  std::vector<size_t> sets(memory_.sets().size());
  std::iota(sets.begin(), sets.end(), size_t{0});
  std::shuffle(sets.begin(), sets.end(), calls_.session().random());
  BurstCalls chosen;
  for (int i = 0; i < calls; ++i) {
    chosen.push_back(choose_call(sets.at(static_cast<size_t>(i))));
  }
  return chosen;
}

// Of one input or state.
void TimedContents::add(const TimedCall& call, size_t tensor, const wire::Region& to,
                        KeeperClient::Contents& contents) const {
  const wire::Region& first = memory_.draws()[call.draw].hidden.at(tensor);
  if (memory_.is_mixed(call, tensor)) {
    contents.mixed.push_back({.first = first,
                              .second = memory_.draws()[call.second].hidden.at(tensor),
                              .to = to,
                              .width = memory_.mixing()->widths[tensor],
                              .seed = call.seeds.at(tensor)});
    return;
  }
  contents.from.push_back(first);
  contents.to.push_back(to);
}

// Poison first, contents last: they come from memory of the keeper's own, so quickly that nobody can begin before the
// clock does. What an earlier burst left in the workspace helps no later one.
Result<void> TimedContents::put(const BurstCalls& calls) {
  std::vector<wire::Region> poisoned = calls_.workspace().regions;
  KeeperClient::Contents contents;
  for (const TimedCall& call : calls) {
    const CallMemory& memory = memory_.set_of(call);
    append(poisoned, memory.results.regions);
    for (size_t i = 0; i < memory.inputs.regions.size(); ++i) {
      add(call, i, memory.inputs.regions[i], contents);
    }
    const size_t inputs = memory.input_types.size();
    for (size_t i = 0; i < memory.replaced_by.size(); ++i) {
      if (memory.replaced_by[i] >= 0) {
        add(call, inputs + i, memory.old_state(i), contents);
      }
    }
  }
  STITCH_TRY(calls_.session().keeper().poison(poisoned));
  return calls_.session().keeper().clock_start(contents);
}

// Of these calls' inputs in turn. Mixes are made anew where no worker looks: what one sees it may have changed.
Result<std::vector<int64_t>> TimedContents::input_digests(const BurstCalls& calls) {
  std::vector<int64_t> digests;
  KeeperClient::Contents contents;
  std::vector<size_t> mixed;  // places among the digests
  for (const TimedCall& call : calls) {
    for (size_t i = 0; i < memory_.set_of(call).input_types.size(); ++i) {
      if (memory_.is_mixed(call, i)) {
        add(call, i, memory_.scratch().at(i), contents);
        mixed.push_back(digests.size());
      }
      digests.push_back(memory_.draws()[call.draw].digests.at(i));
    }
  }
  if (mixed.empty()) {
    return digests;
  }
  STITCH_ASSIGN(const std::vector<int64_t> made, calls_.session().keeper().mix(contents.mixed));
  for (size_t i = 0; i < mixed.size(); ++i) {
    digests[mixed[i]] = made.at(i);
  }
  return digests;
}

Result<std::vector<HostTensor>> TimedContents::given_to(const TimedCall& call) {
  const TimedDraw& drawn = memory_.draws()[call.draw].given;
  std::vector<HostTensor> contents = drawn.inputs;
  contents.insert(contents.end(), drawn.states.begin(), drawn.states.end());
  for (size_t i = 0; i < contents.size(); ++i) {
    if (!memory_.is_mixed(call, i)) {
      continue;
    }
    KeeperClient& keeper = calls_.session().keeper();
    const wire::Region& room = memory_.scratch().at(i);
    KeeperClient::Contents mix;
    add(call, i, room, mix);
    STITCH_TRY(keeper.mix(mix.mixed));
    STITCH_ASSIGN(std::vector<HostTensor> made, keeper.snapshot({room}, {contents[i].spec()}));
    contents[i] = std::move(made.at(0));
  }
  return contents;
}

}  // namespace stitch::evaluate

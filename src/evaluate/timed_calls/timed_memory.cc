// SPDX-License-Identifier: Apache-2.0
#include "evaluate/timed_calls/timed_memory.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/json/json.h"
#include "evaluate/calls/call_types.h"

namespace stitch::evaluate {
namespace {

uint64_t sum_of(const std::vector<uint64_t>& sizes) { return std::accumulate(sizes.begin(), sizes.end(), uint64_t{0}); }

std::vector<uint64_t> repeated(const std::vector<uint64_t>& sizes, size_t times) {
  std::vector<uint64_t> all;
  for (size_t i = 0; i < times; ++i) {
    all.insert(all.end(), sizes.begin(), sizes.end());
  }
  return all;
}

// The regions of one set among those of all.
MemoryGroup part_of(const MemoryGroup& whole, size_t set, size_t count) {
  MemoryGroup part;
  part.block = whole.block;
  const auto first = whole.regions.begin() + static_cast<int64_t>(set * count);
  part.regions.assign(first, first + static_cast<int64_t>(count));
  return part;
}

CandidateCall call_of(const TimedDraw& draw) {
  CandidateCall call;
  call.inputs = draw.inputs;
  call.states = draw.states;
  call.results = draw.results;
  call.rng_seed = draw.rng_seed;
  // As PyTorch changes its states where they lie, and as ModelNew calls the program.
  call.states_in_place = true;
  return call;
}

std::vector<HostTensor> contents_of(const TimedDraw& draw) {
  std::vector<HostTensor> contents = draw.inputs;
  contents.insert(contents.end(), draw.states.begin(), draw.states.end());
  return contents;
}

std::vector<uint64_t> content_sizes(const TimedDraw& draw) {
  std::vector<uint64_t> sizes = sizes_of(types_of(draw.inputs));
  const std::vector<uint64_t> of_states = sizes_of(types_of(draw.states));
  sizes.insert(sizes.end(), of_states.begin(), of_states.end());
  return sizes;
}

// Beside the ring there must be room for a program's workspace and parameters.
constexpr uint64_t kHiddenShare = 4;

}  // namespace

bool TimedMemory::is_mixed(const TimedCall& call, size_t tensor) const {
  return call.is_mixed() && mixing_->widths.at(tensor) > 0;
}

std::vector<wire::Region> TimedMemory::results_of(const BurstCalls& calls) const {
  std::vector<wire::Region> results;
  for (const TimedCall& call : calls) {
    const std::vector<wire::Region>& own = set_of(call).results.regions;
    results.insert(results.end(), own.begin(), own.end());
  }
  return results;
}

std::vector<wire::Region> TimedMemory::kept_results_of(const BurstCalls& calls) const {
  std::vector<wire::Region> kept;
  if (!mixing_.has_value()) {
    return kept;
  }
  for (const TimedCall& call : calls) {
    const size_t count = set_of(call).results.regions.size();
    const auto first = kept_.regions.begin() + static_cast<int64_t>(call.set * count);
    kept.insert(kept.end(), first, first + static_cast<int64_t>(count));
  }
  return kept;
}

ConstantMemory TimedMemory::constants() const {
  ConstantMemory constants = calls_.prepared_constants();
  constants.add_red_zones(calls_.workspace(), "workspace");
  constants.add_red_zones(inputs_, "inputs");
  constants.add_red_zones(results_, "outputs");
  return constants;
}

Result<void> TimedMemory::place_ring(const TimingOptions& options) {
  CandidateSession& session = calls_.session();
  CallMemory pattern;
  const CandidateCall call = call_of(draws_[0].given);
  STITCH_ASSIGN(const std::vector<uint64_t> result_sizes, calls_.describe_call(call, pattern));
  const std::vector<uint64_t> input_sizes = content_sizes(draws_[0].given);
  const uint64_t l2_bytes = options.l2_bytes > 0 ? options.l2_bytes : session.keeper().facts().l2_bytes;
  ring_ = plan_ring({.set_bytes = sum_of(input_sizes) + sum_of(result_sizes),
                     .l2_bytes = options.cold_l2 ? l2_bytes : 0,
                     .memory_bytes = session.memory_limit_bytes()});
  const auto sets = static_cast<size_t>(ring_.sets);
  STITCH_TRY(session.place(inputs_, repeated(input_sizes, sets), kBlockAlignment, AskedBy::kTask));
  STITCH_TRY(session.place(results_, repeated(result_sizes, sets), kBlockAlignment, AskedBy::kTask));
  sets_.assign(sets, pattern);
  for (size_t i = 0; i < sets; ++i) {
    sets_[i].inputs = part_of(inputs_, i, input_sizes.size());
    sets_[i].results = part_of(results_, i, result_sizes.size());
  }
  for (const MemoryGroup* group : {&inputs_, &results_}) {
    STITCH_TRY(session.keeper().poison(group->red_zones));
  }
  return calls_.place_workspace(sets_[0]);
}

// Memory of the keeper's that is never attached to a worker.
Result<void> TimedMemory::hide(MemoryGroup& group, std::vector<uint64_t> sizes) {
  if (group.block != 0) {
    STITCH_TRY(calls_.session().keeper().release(std::exchange(group.block, 0)));
  }
  STITCH_ASSIGN(const KeeperClient::Block block, calls_.session().keeper().allocate(room_for(sizes)));
  group.block = block.token.id;
  group.sizes = std::move(sizes);
  lay_out(group, kBlockAlignment, calls_.session().random());
  return {};
}

// A ring of one content would let a program that knows it again answer from memory: as many draws as there are, and as
// fit beside the ring; and room for a mix of two.
Result<void> TimedMemory::hide_draws(const std::vector<TimedDraw>& draws) {
  const std::vector<uint64_t> sizes = content_sizes(draws.front());
  const uint64_t fit = calls_.session().memory_limit_bytes() / kHiddenShare / room_for(sizes);
  constexpr uint64_t kMinDrawsToMix = 3;  // two draws, and what becomes of them
  if (fit < kMinDrawsToMix || draws.size() < 2) {
    mixing_.reset();
  }
  const size_t mixes = mixing_.has_value() ? 1 : 0;
  const size_t count = std::clamp<size_t>(fit - std::min<size_t>(fit, mixes), 1, draws.size());
  STITCH_TRY(hide(hidden_, repeated(sizes, count + mixes)));
  draws_.clear();
  for (size_t i = 0; i < count; ++i) {
    Draw draw{.given = draws[i],
              .hidden = part_of(hidden_, i, sizes.size()).regions,
              .digests = {},
              .right = {},
              .untimed = {}};
    STITCH_TRY(calls_.session().keeper().fill(draw.hidden, contents_of(draws[i])));
    STITCH_ASSIGN(draw.digests, calls_.session().keeper().digest(draw.hidden));
    draws_.push_back(std::move(draw));
  }
  scratch_ = mixes > 0 ? part_of(hidden_, count, sizes.size()).regions : std::vector<wire::Region>{};
  return {};
}

// Where the results of timed calls stay while the same calls are made again.
Result<void> TimedMemory::hide_results() {
  const std::vector<uint64_t>& sizes = results_.sizes;
  if (room_for(sizes) > calls_.session().memory_limit_bytes() / kHiddenShare) {
    mixing_.reset();
  }
  return mixing_.has_value() ? hide(kept_, sizes) : Result<void>();
}

Result<void> TimedMemory::run_untimed() {
  for (Draw& draw : draws_) {
    STITCH_ASSIGN(CandidateOutcome outcome, calls_.run(call_of(draw.given)));
    draw.untimed = std::move(outcome.outputs);
    draw.untimed.insert(draw.untimed.end(), outcome.states.begin(), outcome.states.end());
  }
  return calls_.check_settled();
}

Result<void> TimedMemory::bind_ring(bool graph) {
  Json calls = Json::array();
  for (const CallMemory& set : sets_) {
    calls.push_back(wire::to_json(calls_.bind_call(call_of(draws_[0].given), set)));
  }
  Json request;
  request["calls"] = std::move(calls);
  request["evict_bytes"] = static_cast<int64_t>(ring_.evict_bytes);
  request["graph"] = graph;
  STITCH_TRY(calls_.session().ask("bind", request));
  return {};
}

Result<void> TimedMemory::open(const TimedSubject& subject, const TimingOptions& options) {
  STITCH_CHECK(!subject.draws.empty()) << "nothing to time a program with";
  mixing_ = options.judges_calls ? subject.mixing : std::nullopt;
  STITCH_TRY(hide_draws(subject.draws));
  if (options.judges_calls) {
    STITCH_TRY(run_untimed());
  }
  STITCH_TRY(place_ring(options));
  STITCH_TRY(hide_results());
  return bind_ring(options.graph && options.judges_calls);
}

Result<void> TimedMemory::capture() { return bind_ring(true); }

}  // namespace stitch::evaluate

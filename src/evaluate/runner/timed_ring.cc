// SPDX-License-Identifier: Apache-2.0
// The timing half of ProgramCalls: what stands ready before the clock starts.
#include <algorithm>
#include <numeric>
#include <utility>

#include "base/json/json.h"
#include "evaluate/runner/program_calls.h"

namespace stitch::evaluate {
namespace {

uint64_t sum_of(const std::vector<uint64_t>& sizes) { return std::accumulate(sizes.begin(), sizes.end(), uint64_t{0}); }

std::vector<uint64_t> repeated(const std::vector<uint64_t>& sizes, int times) {
  std::vector<uint64_t> all;
  for (int i = 0; i < times; ++i) {
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

// Beside the ring there must be room for a program's workspace and parameters.
constexpr uint64_t kHiddenShare = 4;

}  // namespace

CandidateCall ProgramCalls::timed_call(const TimedDraw& draw) {
  CandidateCall call;
  call.inputs = draw.inputs;
  call.states = draw.states;
  call.results = draw.results;
  call.rng_seed = draw.rng_seed;
  // As PyTorch changes its states where they lie, and as ModelNew calls the program.
  call.states_in_place = true;
  return call;
}

Result<void> ProgramCalls::place_ring(const CandidateCall& call, const TimingOptions& options) {
  CallMemory pattern;
  STITCH_ASSIGN(const std::vector<uint64_t> result_sizes, describe_call(call, pattern));
  std::vector<uint64_t> input_sizes;
  for (const std::span<const HostTensor> tensors : {call.inputs, call.states}) {
    for (const HostTensor& tensor : tensors) {
      input_sizes.push_back(tensor.bytes().size());
    }
  }
  const uint64_t l2_bytes = options.l2_bytes > 0 ? options.l2_bytes : session_.keeper().facts().l2_bytes;
  timed_.ring = plan_ring({.set_bytes = sum_of(input_sizes) + sum_of(result_sizes),
                           .l2_bytes = options.cold_l2 ? l2_bytes : 0,
                           .memory_bytes = session_.memory_limit_bytes()});
  const auto sets = static_cast<size_t>(timed_.ring.sets);
  STITCH_TRY(session_.place(timed_.inputs, repeated(input_sizes, timed_.ring.sets), kBlockAlignment, AskedBy::kTask));
  STITCH_TRY(session_.place(timed_.results, repeated(result_sizes, timed_.ring.sets), kBlockAlignment, AskedBy::kTask));
  timed_.sets.assign(sets, pattern);
  for (size_t i = 0; i < sets; ++i) {
    timed_.sets[i].inputs = part_of(timed_.inputs, i, input_sizes.size());
    timed_.sets[i].results = part_of(timed_.results, i, result_sizes.size());
  }
  for (const MemoryGroup* group : {&timed_.inputs, &timed_.results}) {
    STITCH_TRY(session_.keeper().poison(group->red_zones));
  }
  return place_workspace(timed_.sets[0]);
}

// Memory of the keeper's that is never attached to a worker.
Result<void> ProgramCalls::hide(MemoryGroup& group, std::vector<uint64_t> sizes) {
  if (group.block != 0) {
    STITCH_TRY(session_.keeper().release(std::exchange(group.block, 0)));
  }
  STITCH_ASSIGN(const KeeperClient::Block block, session_.keeper().allocate(room_for(sizes)));
  group.block = block.token.id;
  group.sizes = std::move(sizes);
  lay_out(group, kBlockAlignment, session_.random());
  return {};
}

// A ring of one content would let a program that knows it again answer from memory: as many draws as there are, and as
// fit beside the ring; and room for a mix of two.
Result<void> ProgramCalls::hide_draws(const std::vector<TimedDraw>& draws) {
  std::vector<uint64_t> sizes;
  for (const std::vector<HostTensor>* tensors : {&draws.front().inputs, &draws.front().states}) {
    for (const HostTensor& tensor : *tensors) {
      sizes.push_back(tensor.bytes().size());
    }
  }
  const uint64_t fit = session_.memory_limit_bytes() / kHiddenShare / room_for(sizes);
  constexpr uint64_t kLeastToMix = 3;  // two draws, and what becomes of them
  if (fit < kLeastToMix || draws.size() < 2) {
    timed_.mixing.reset();
  }
  const size_t mixes = timed_.mixing.has_value() ? 1 : 0;
  const size_t count = std::clamp<size_t>(fit - std::min<size_t>(fit, mixes), 1, draws.size());
  STITCH_TRY(hide(timed_.hidden, repeated(sizes, static_cast<int>(count + mixes))));
  timed_.draws.clear();
  for (size_t i = 0; i < count; ++i) {
    TimedRing::Draw draw{.given = draws[i],
                         .hidden = part_of(timed_.hidden, i, sizes.size()).regions,
                         .digests = {},
                         .right = {},
                         .untimed = {}};
    std::vector<HostTensor> contents = draws[i].inputs;
    contents.insert(contents.end(), draws[i].states.begin(), draws[i].states.end());
    STITCH_TRY(session_.keeper().fill(draw.hidden, contents));
    STITCH_ASSIGN(draw.digests, session_.keeper().digest(draw.hidden));
    timed_.draws.push_back(std::move(draw));
  }
  timed_.scratch = mixes > 0 ? part_of(timed_.hidden, count, sizes.size()).regions : std::vector<wire::Region>{};
  return {};
}

// Where the results of timed calls stay while the same calls are made again.
Result<void> ProgramCalls::hide_results() {
  const std::vector<uint64_t>& sizes = timed_.results.sizes;
  if (room_for(sizes) > session_.memory_limit_bytes() / kHiddenShare) {
    timed_.mixing.reset();
  }
  return timed_.mixing.has_value() ? hide(timed_.kept, sizes) : Result<void>();
}

Result<void> ProgramCalls::run_untimed() {
  for (TimedRing::Draw& draw : timed_.draws) {
    STITCH_ASSIGN(CandidateOutcome outcome, run(timed_call(draw.given)));
    draw.untimed = std::move(outcome.outputs);
    draw.untimed.insert(draw.untimed.end(), outcome.states.begin(), outcome.states.end());
  }
  return check_settled();
}

Result<void> ProgramCalls::bind_ring(const TimingOptions& options) {
  Json calls = Json::array();
  for (const CallMemory& set : timed_.sets) {
    STITCH_ASSIGN(const wire::CallArguments arguments, bind_call(timed_call(timed_.draws[0].given), set));
    calls.push_back(wire::to_json(arguments));
  }
  Json request;
  request["calls"] = std::move(calls);
  request["evict_bytes"] = static_cast<int64_t>(timed_.ring.evict_bytes);
  request["graph"] = options.graph;
  STITCH_TRY(session_.ask("bind", request));
  return {};
}

ProgramCalls::Constants ProgramCalls::constants_of_ring() const {
  Constants constants = prepared_constants();
  constants.add(prepared_memory_.regions.at(0), "prepared memory");
  constants.add_red_zones(workspace_, "workspace");
  constants.add_red_zones(timed_.inputs, "inputs");
  constants.add_red_zones(timed_.results, "outputs");
  return constants;
}

Result<void> ProgramCalls::open_timing(const TimedSubject& subject, const TimingOptions& options) {
  STITCH_CHECK(!subject.draws.empty()) << "nothing to time a program with";
  STITCH_TRY(ensure_prepared());
  STITCH_TRY(check_settled());
  timed_.judges_all = options.judges_all;
  timed_.mixing = options.judges_all ? subject.mixing : std::nullopt;
  STITCH_TRY(hide_draws(subject.draws));
  STITCH_TRY(run_untimed());
  const CandidateCall call = timed_call(timed_.draws[0].given);
  STITCH_TRY(place_ring(call, options));
  STITCH_TRY(hide_results());
  STITCH_TRY(bind_ring(options));
  timed_.constants = constants_of_ring();
  STITCH_ASSIGN(timed_.constant_digests, session_.keeper().digest(timed_.constants.regions));
  timed_.calls_judged = 0;
  timed_.calls_compared = 0;
  timed_.mixed_calls = 0;
  timed_.chosen.clear();
  timed_.empty_us.clear();
  timed_.empty_event_us.clear();
  return warm_up(options.block_us);
}

}  // namespace stitch::evaluate

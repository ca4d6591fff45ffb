// SPDX-License-Identifier: Apache-2.0
// The timing half of ProgramCalls.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "evaluate/runner/program_calls.h"
#include "evaluate/runner/timing.h"

namespace stitch::evaluate {

Result<double> ProgramCalls::block_us(int count, bool with_calls) {
  Json request;
  request["count"] = count;
  request["with_calls"] = with_calls;
  STITCH_TRY(session_.keeper().clock_start());
  STITCH_TRY(session_.ask("run_block", request));
  return session_.keeper().clock_stop_us();
}

Result<void> ProgramCalls::bind_block(const CandidateCall& call, const TimingOptions& options) {
  const size_t count = static_cast<size_t>(std::max(options.buffer_sets, 1));
  sets_.resize(std::max(sets_.size(), count));
  // As PyTorch changes its states where they lie, and as ModelNew calls the program.
  CandidateCall in_place = call;
  in_place.states_in_place = true;
  for (size_t i = 0; i < count; ++i) {
    STITCH_TRY(fill_call(in_place, sets_[i], kBlockAlignment));  // as PyTorch's allocator would
  }
  STITCH_TRY(place_workspace(sets_[0]));
  Json calls = Json::array();
  for (size_t i = 0; i < count; ++i) {
    STITCH_ASSIGN(const wire::CallArguments arguments, bind_call(in_place, sets_[i]));
    calls.push_back(wire::to_json(arguments));
  }
  Json request;
  request["calls"] = std::move(calls);
  // Twice the cache: what the last call left in it is gone for certain.
  request["evict_bytes"] = options.cold_l2 ? static_cast<int64_t>(2 * session_.keeper().facts().l2_bytes) : 0;
  request["graph"] = options.graph;
  STITCH_TRY(session_.ask("bind", request));
  return {};
}

Result<TimingOutcome> ProgramCalls::time_blocks(const CandidateCall& call, const TimingOptions& options) {
  constexpr int kMostCalls = 1 << 20;
  STITCH_TRY(ensure_prepared());
  STITCH_TRY(check_settled());
  STITCH_TRY(bind_block(call, options));
  STITCH_TRY(block_us(3, true));  // first calls load code and settle clocks
  int count = 1;
  STITCH_ASSIGN(double elapsed_us, block_us(count, true));
  while (elapsed_us < options.block_us && count < kMostCalls) {
    const double growth = std::clamp(1.2 * options.block_us / std::max(elapsed_us, 1.0), 1.5, 8.0);
    count = std::min(kMostCalls, static_cast<int>(growth * count) + 1);
    STITCH_ASSIGN(elapsed_us, block_us(count, true));
  }
  std::vector<double> samples_us;
  std::vector<double> empty_us;
  for (int block = 0; block < options.blocks; ++block) {
    STITCH_ASSIGN(const double with_us, block_us(count, true));
    STITCH_ASSIGN(const double without_us, block_us(count, false));
    samples_us.push_back(with_us);
    empty_us.push_back(without_us);
  }
  // The empty block's median: one empty block that the host held up must not make its neighbour look free.
  const double without_calls_us = median(std::move(empty_us));
  for (double& sample_us : samples_us) {
    sample_us = std::max(0.0, sample_us - without_calls_us) / count;
  }
  TimingOutcome outcome;
  outcome.timing = summarise(std::move(samples_us), count);
  return outcome;
}

}  // namespace stitch::evaluate

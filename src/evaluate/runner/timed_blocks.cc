// SPDX-License-Identifier: Apache-2.0
// The timing half of ProgramCalls: bursts of calls, and what is looked at after each.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>
#include <utility>

#include "base/json/json.h"
#include "evaluate/runner/program_calls.h"
#include "evaluate/timing/same_results.h"
#include "evaluate/timing/warm_up.h"

namespace stitch::evaluate {
namespace {

constexpr int kMostGraceMs = 30;
// In every block, at a place that nobody knows before: calls of which it is looked whether they are ordered on their
// stream. A program that is so only while it is not timed would hide from a clock.
constexpr int kOrderedCalls = 3;

}  // namespace

Result<BlockTimes> ProgramCalls::burst(int count, Burst kind) {
  const bool with_calls = kind != Burst::kNoCalls;
  const BurstCalls calls = choose_calls(count);
  Json request;
  Json order = Json::array();
  for (const TimedCall& call : calls) {
    order.push_back(call.set);
  }
  // Looked at in another order than they were made in.
  BurstCalls looked_at = calls;
  std::shuffle(looked_at.begin(), looked_at.end(), session_.random());
  looked_at.resize(!with_calls ? 0 : timed_.judges_all ? looked_at.size() : 1);
  request["order"] = std::move(order);
  request["with_calls"] = with_calls;
  request["ordered"] = kind == Burst::kOrderedCalls;
  STITCH_TRY(put_contents(calls));
  STITCH_ASSIGN(const wire::Answer answer, session_.ask("run_block", request));
  STITCH_ASSIGN(const KeeperClient::Stopped stopped,
                session_.keeper().clock_stop(results_of(looked_at), kept_results_of(looked_at)));
  const Result<double> event_us = json_double(answer.json(), "event_us");
  if (!event_us.has_value()) {
    return session_.fail(Ending::kTampered, "the program wrote into its worker's channel");
  }
  if (with_calls) {
    timed_.last_results = results_of(looked_at);
    timed_.last_digests = stopped.digests;
    timed_.last_calls = std::move(looked_at);
    STITCH_TRY(judge_results(timed_.last_calls, stopped.digests));
    STITCH_TRY(choose_for_reference());
  }
  BlockTimes times;
  times.calls = count;
  (with_calls ? times.keeper_us : times.keeper_empty_us) = stopped.elapsed_us;
  (with_calls ? times.event_us : times.event_empty_us) = *event_us;
  return times;
}

Result<void> ProgramCalls::judge_results(const BurstCalls& calls, const std::vector<int64_t>& digests) {
  auto next = digests.begin();
  for (const TimedCall& call : calls) {
    const auto count = static_cast<int64_t>(timed_.sets[call.set].results.regions.size());
    const std::vector<int64_t> own(next, next + count);
    next += count;
    ++timed_.calls_judged;
    // What was right once is right again; a sum that ends in another order is judged anew. That of a mix is compared
    // when it has been made again.
    if (!call.is_mixed() && !timed_.draws[call.draw].right.contains(own)) {
      STITCH_TRY(judge_call(call));
      timed_.draws[call.draw].right.insert(own);
    }
  }
  return {};
}

Unexpected ProgramCalls::fail_timed_call(const std::string& wrong) {
  return session_.fail(Ending::kTampered, "a timed call was not right: " + wrong);
}

Result<void> ProgramCalls::judge_call(const TimedCall& call) {
  const CallMemory& memory = timed_.sets[call.set];
  const TimedRing::Draw& given = timed_.draws[call.draw];
  STITCH_ASSIGN(const std::vector<HostTensor> results,
                session_.keeper().snapshot(memory.results.regions, result_specs(memory)));
  std::optional<std::string> wrong = find_difference(results, given.untimed);
  if (!wrong.has_value() && given.given.judge) {
    STITCH_ASSIGN(wrong, given.given.judge(results));
  }
  return wrong.has_value() ? fail_timed_call(*wrong) : Result<void>();
}

// After a block, and after a while that nobody knows before: nothing was written since, nothing beside the results, and
// no input or parameter.
Result<void> ProgramCalls::look_again() {
  std::this_thread::sleep_for(std::chrono::milliseconds(1 + session_.random()() % kMostGraceMs));
  STITCH_ASSIGN(const std::vector<int64_t> later, session_.keeper().digest(timed_.last_results));
  if (later != timed_.last_digests) {
    return session_.fail(Ending::kTampered, "the program went on writing into its outputs after the call had ended");
  }
  STITCH_TRY(check_unchanged(timed_.constants, timed_.constant_digests));
  std::vector<wire::Region> inputs;
  for (const TimedCall& call : timed_.last_calls) {
    const CallMemory& memory = timed_.sets[call.set];
    const auto count = static_cast<int64_t>(memory.input_types.size());
    inputs.insert(inputs.end(), memory.inputs.regions.begin(), memory.inputs.regions.begin() + count);
  }
  STITCH_ASSIGN(const std::vector<int64_t> given, input_digests(timed_.last_calls));
  STITCH_ASSIGN(const std::vector<int64_t> now, session_.keeper().digest(inputs));
  if (now != given) {
    return session_.fail(Ending::kTampered, "the program changed its inputs");
  }
  return {};
}

// Call after call until they take alike, then bursts until one is known to be long enough.
Result<void> ProgramCalls::warm_up(double block_us) {
  constexpr int kMostPlans = 4;
  std::vector<double> times_us;
  while (judge_warm_up(times_us) == WarmUp::kGoOn) {
    STITCH_ASSIGN(const BlockTimes times, burst(1, Burst::kCalls));
    STITCH_TRY(repeat_calls());
    times_us.push_back(times.keeper_us);
  }
  timed_.plan = plan_bursts(times_us.back(), block_us, timed_.ring.sets);
  for (int i = 0; i < kMostPlans; ++i) {
    STITCH_ASSIGN(const BlockTimes times, burst(timed_.plan.calls, Burst::kCalls));
    STITCH_TRY(repeat_calls());
    const BurstPlan last = timed_.plan;
    timed_.plan = plan_bursts(times.keeper_us / times.calls, block_us, timed_.ring.sets);
    if (timed_.plan.calls <= last.calls) {
      break;
    }
  }
  return {};
}

Result<BlockOutcome> ProgramCalls::time_block() {
  BlockTimes block;
  const auto bursts = static_cast<uint64_t>(timed_.plan.bursts);
  const bool looks_at_order = timed_.judges_all && session_.looks_at_order();
  const uint64_t ordered_before = looks_at_order ? session_.random()() % bursts : bursts;
  for (uint64_t i = 0; i < bursts; ++i) {
    if (i == ordered_before) {
      STITCH_TRY(burst(std::min(timed_.plan.calls, kOrderedCalls), Burst::kOrderedCalls));
      STITCH_TRY(repeat_calls());
    }
    STITCH_ASSIGN(const BlockTimes times, burst(timed_.plan.calls, Burst::kCalls));
    if (i + 1 == bursts) {
      STITCH_TRY(look_again());  // before anything else is written there
    }
    STITCH_TRY(repeat_calls());
    block.calls += times.calls;
    block.keeper_us += times.keeper_us;
    block.event_us += times.event_us;
  }
  STITCH_ASSIGN(const BlockTimes empty, burst(timed_.plan.calls, Burst::kNoCalls));
  timed_.empty_us.push_back(empty.keeper_empty_us);
  timed_.empty_event_us.push_back(empty.event_empty_us);
  // The empty burst's median: one that the host held up must not make its neighbour look free.
  block.keeper_empty_us = timed_.plan.bursts * median(timed_.empty_us);
  block.event_empty_us = timed_.plan.bursts * median(timed_.empty_event_us);
  const ReportedTime time = reported_time(block);
  BlockOutcome outcome;
  outcome.per_call_us = time.per_call_us;
  outcome.by_events = time.by_events;
  outcome.refusal = time.refusal;
  return outcome;
}

Result<std::vector<double>> ProgramCalls::time_series(int blocks, Timing& timing) {
  std::vector<double> samples_us;
  int by_events = 0;
  timing.refusal.clear();
  for (int i = 0; i < blocks; ++i) {
    STITCH_ASSIGN(const BlockOutcome block, time_block());
    by_events += block.by_events ? 1 : 0;
    if (block.refusal.empty()) {
      samples_us.push_back(block.per_call_us);
    } else {
      timing.refusal = block.refusal;
    }
  }
  timing.by_events = 2 * by_events > blocks;
  return samples_us;
}

Result<TimingOutcome> ProgramCalls::time_blocks(const TimedSubject& subject, const TimingOptions& options) {
  STITCH_TRY(open_timing(subject, options));
  Timing told;
  STITCH_ASSIGN(const SteadySeries series,
                measure_steadily([&] { return time_series(options.blocks, told); }, options.tries));
  STITCH_TRY(close_timing());
  TimingOutcome outcome;
  outcome.timing = summarise(series.samples_us, timed_.plan.calls * timed_.plan.bursts);
  outcome.timing.interval = series.verdict.interval;
  // A block without a time is the better reason than that there are too few with one.
  const bool is_short = series.samples_us.size() < static_cast<size_t>(options.blocks);
  outcome.timing.refusal = is_short && !told.refusal.empty() ? told.refusal : series.verdict.refusal;
  outcome.timing.tries = series.tries;
  outcome.timing.sets = timed_.ring.sets;
  outcome.timing.evicted_bytes = timed_.ring.evict_bytes;
  outcome.timing.calls_judged = timed_.calls_judged;
  outcome.timing.by_events = told.by_events;
  outcome.timing.is_mixed = is_mixed();
  outcome.timing.calls_compared = timed_.calls_compared;
  return outcome;
}

}  // namespace stitch::evaluate

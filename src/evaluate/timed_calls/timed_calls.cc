// SPDX-License-Identifier: Apache-2.0
#include "evaluate/timed_calls/timed_calls.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/json/json.h"
#include "evaluate/timing/same_results.h"
#include "evaluate/timing/warm_up.h"

namespace stitch::evaluate {
namespace {

constexpr int kMaxGraceMs = 30;
// In every block, at a place that nobody knows before: calls of which it is looked whether they are ordered on their
// stream. A program that is so only while it is not timed would hide from a clock.
constexpr int kOrderedCalls = 3;

}  // namespace

Result<void> TimedCalls::open(const TimedSubject& subject, const TimingOptions& options) {
  STITCH_TRY(calls_.make_ready());
  judges_calls_ = options.judges_calls;
  STITCH_TRY(memory_.open(subject, options));
  constants_ = memory_.constants();
  STITCH_TRY(constants_.remember(calls_.session()));
  sample_.clear();
  calls_judged_ = 0;
  empty_us_.clear();
  empty_event_us_.clear();
  if (options.graph && !judges_calls_) {
    STITCH_TRY(burst(1, Burst::kCalls));
    STITCH_TRY(memory_.capture());
  }
  return warm_up(options.block_us);
}

Result<wire::Answer> TimedCalls::ask_for(const BurstCalls& calls, Burst kind) {
  Json order = Json::array();
  for (const TimedCall& call : calls) {
    order.push_back(call.set);
  }
  Json request;
  request["order"] = std::move(order);
  request["with_calls"] = kind != Burst::kNoCalls;
  request["ordered"] = kind == Burst::kOrderedCalls;
  return calls_.session().ask("run_block", request);
}

Result<BlockTimes> TimedCalls::burst(int count, Burst kind) {
  CandidateSession& session = calls_.session();
  const bool with_calls = kind != Burst::kNoCalls;
  const BurstCalls calls = contents_.choose(count);
  // Looked at in another order than they were made in.
  BurstCalls looked_at = calls;
  std::shuffle(looked_at.begin(), looked_at.end(), session.random());
  looked_at.resize(!with_calls ? 0 : judges_calls_ ? looked_at.size() : 1);
  STITCH_TRY(contents_.put(calls));
  STITCH_ASSIGN(const wire::Answer answer, ask_for(calls, kind));
  STITCH_ASSIGN(const KeeperClient::Stopped stopped,
                session.keeper().clock_stop(memory_.results_of(looked_at), memory_.kept_results_of(looked_at)));
  const Result<double> event_us = json_double(answer.json(), "event_us");
  if (!event_us.has_value()) {
    return session.fail(Ending::kTampered, "the program wrote into its worker's channel");
  }
  if (with_calls) {
    last_ = {.calls = looked_at, .results = memory_.results_of(looked_at), .digests = stopped.digests};
    STITCH_TRY(judges_calls_ ? judge_results() : Result<void>());
    STITCH_TRY(sample_.offer(last_.calls));
  }
  BlockTimes times;
  times.calls = count;
  (with_calls ? times.keeper_us : times.keeper_empty_us) = stopped.elapsed_us;
  (with_calls ? times.event_us : times.event_empty_us) = *event_us;
  return times;
}

Result<void> TimedCalls::judge_results() {
  auto next = last_.digests.begin();
  for (const TimedCall& call : last_.calls) {
    const auto count = static_cast<int64_t>(memory_.set_of(call).results.regions.size());
    const std::vector<int64_t> own(next, next + count);
    next += count;
    ++calls_judged_;
    // What was right once is right again; a sum that ends in another order is judged anew. That of a mix is compared
    // when it has been made again.
    if (!call.is_mixed() && !memory_.draws()[call.draw].right.contains(own)) {
      STITCH_TRY(judge_drawn(call));
      memory_.draws()[call.draw].right.insert(own);
    }
  }
  return {};
}

Unexpected TimedCalls::fail(const std::string& wrong) {
  return calls_.session().fail(Ending::kTampered, "a timed call was not right: " + wrong);
}

Result<void> TimedCalls::judge_drawn(const TimedCall& call) {
  const CallMemory& memory = memory_.set_of(call);
  const TimedMemory::Draw& draw = memory_.draws()[call.draw];
  STITCH_ASSIGN(const std::vector<HostTensor> results,
                calls_.session().keeper().snapshot(memory.results.regions, calls_.result_specs(memory)));
  std::optional<std::string> wrong = find_difference(results, draw.untimed);
  if (!wrong.has_value() && draw.given.judge) {
    STITCH_ASSIGN(wrong, draw.given.judge(results));
  }
  return wrong.has_value() ? fail(*wrong) : Result<void>();
}

// The last burst's calls once more, in another order: nobody waits for them with a clock.
Result<void> TimedCalls::repeat_calls() {
  const BurstCalls& made = last_.calls;
  if (std::none_of(made.begin(), made.end(), [](const TimedCall& call) { return call.is_mixed(); })) {
    return {};
  }
  BurstCalls again = made;
  std::shuffle(again.begin(), again.end(), calls_.session().random());
  STITCH_TRY(contents_.put(again));
  STITCH_TRY(ask_for(again, Burst::kCalls));
  STITCH_ASSIGN(const std::vector<int64_t> digests, calls_.session().keeper().digest(last_.results));
  int64_t first = 0;
  for (const TimedCall& call : made) {
    const int64_t end = first + static_cast<int64_t>(memory_.set_of(call).results.regions.size());
    const bool same = std::equal(digests.begin() + first, digests.begin() + end, last_.digests.begin() + first);
    if (call.is_mixed() && !same) {
      STITCH_TRY(judge_repeated(call));
    }
    first = end;
  }
  return {};
}

// Sums in another order are honest, and what follows from them need not be close: then the reference has the word.
Result<void> TimedCalls::judge_repeated(const TimedCall& call) {
  const CallMemory& memory = memory_.set_of(call);
  const std::vector<TensorSpec> specs = calls_.result_specs(memory);
  KeeperClient& keeper = calls_.session().keeper();
  STITCH_ASSIGN(const std::vector<HostTensor> timed, keeper.snapshot(memory_.kept_results_of({call}), specs));
  STITCH_ASSIGN(const std::vector<HostTensor> untimed, keeper.snapshot(memory.results.regions, specs));
  const std::optional<std::string> differs = find_difference(timed, untimed);
  if (!differs.has_value()) {
    return {};
  }
  STITCH_ASSIGN(const SaidOfCall said, sample_.ask(call, timed));
  return said.is_said && !said.wrong.has_value() ? Result<void>() : fail(*differs);
}

// After a block, and after a while that nobody knows before: nothing was written since, nothing beside the results, and
// no input or parameter.
Result<void> TimedCalls::look_again() {
  std::this_thread::sleep_for(std::chrono::milliseconds(1 + calls_.session().random()() % kMaxGraceMs));
  STITCH_ASSIGN(const std::vector<int64_t> later, calls_.session().keeper().digest(last_.results));
  if (later != last_.digests) {
    return calls_.session().fail(Ending::kTampered,
                                 "the program went on writing into its outputs after the call had ended");
  }
  STITCH_TRY(constants_.check(calls_.session()));
  std::vector<wire::Region> inputs;
  for (const TimedCall& call : last_.calls) {
    const CallMemory& memory = memory_.set_of(call);
    const auto count = static_cast<int64_t>(memory.input_types.size());
    inputs.insert(inputs.end(), memory.inputs.regions.begin(), memory.inputs.regions.begin() + count);
  }
  STITCH_ASSIGN(const std::vector<int64_t> given, contents_.input_digests(last_.calls));
  STITCH_ASSIGN(const std::vector<int64_t> now, calls_.session().keeper().digest(inputs));
  if (now != given) {
    return calls_.session().fail(Ending::kTampered, "the program changed its inputs");
  }
  return {};
}

// Call after call until they take alike, then bursts until one is known to be long enough.
Result<void> TimedCalls::warm_up(double block_us) {
  constexpr int kMaxPlans = 4;
  std::vector<double> times_us;
  while (judge_warm_up(times_us) == WarmUp::kGoOn) {
    STITCH_ASSIGN(const BlockTimes times, burst(1, Burst::kCalls));
    STITCH_TRY(repeat_calls());
    times_us.push_back(times.keeper_us);
  }
  plan_ = plan_bursts(times_us.back(), block_us, memory_.ring().sets);
  for (int i = 0; i < kMaxPlans; ++i) {
    STITCH_ASSIGN(const BlockTimes times, burst(plan_.calls, Burst::kCalls));
    STITCH_TRY(repeat_calls());
    const BurstPlan last = plan_;
    plan_ = plan_bursts(times.keeper_us / times.calls, block_us, memory_.ring().sets);
    if (plan_.calls <= last.calls) {
      break;
    }
  }
  return {};
}

Result<BlockOutcome> TimedCalls::time_block() {
  BlockTimes block;
  const auto bursts = static_cast<uint64_t>(plan_.bursts);
  const bool looks_at_order = judges_calls_ && calls_.session().looks_at_order();
  const uint64_t ordered_before = looks_at_order ? calls_.session().random()() % bursts : bursts;
  for (uint64_t i = 0; i < bursts; ++i) {
    if (i == ordered_before) {
      STITCH_TRY(burst(std::min(plan_.calls, kOrderedCalls), Burst::kOrderedCalls));
      STITCH_TRY(repeat_calls());
    }
    STITCH_ASSIGN(const BlockTimes times, burst(plan_.calls, Burst::kCalls));
    if (i + 1 == bursts) {
      STITCH_TRY(look_again());  // before anything else is written there
    }
    STITCH_TRY(repeat_calls());
    block.calls += times.calls;
    block.keeper_us += times.keeper_us;
    block.event_us += times.event_us;
  }
  STITCH_ASSIGN(const BlockTimes empty, burst(plan_.calls, Burst::kNoCalls));
  empty_us_.push_back(empty.keeper_empty_us);
  empty_event_us_.push_back(empty.event_empty_us);
  // The empty burst's median: one that the host held up must not make its neighbour look free.
  block.keeper_empty_us = plan_.bursts * median(empty_us_);
  block.event_empty_us = plan_.bursts * median(empty_event_us_);
  const ReportedTime time = reported_time(block);
  BlockOutcome outcome;
  outcome.per_call_us = time.per_call_us;
  outcome.by_events = time.by_events;
  outcome.refusal = time.refusal;
  return outcome;
}

Result<std::vector<double>> TimedCalls::time_series(int blocks, Timing& timing) {
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

Result<void> TimedCalls::close() {
  STITCH_ASSIGN(const std::optional<std::string> wrong, sample_.judge_chosen());
  return wrong.has_value() ? fail(*wrong) : Result<void>();
}

Result<TimingOutcome> TimedCalls::time_blocks(const TimedSubject& subject, const TimingOptions& options) {
  STITCH_TRY(open(subject, options));
  Timing told;
  STITCH_ASSIGN(const SteadySeries series,
                measure_steadily([&] { return time_series(options.blocks, told); }, options.tries));
  STITCH_TRY(close());
  TimingOutcome outcome;
  outcome.timing = summarise(series.samples_us, plan_.calls * plan_.bursts);
  outcome.timing.interval = series.verdict.interval;
  // A block without a time is the better reason than that there are too few with one.
  const bool is_short = series.samples_us.size() < static_cast<size_t>(options.blocks);
  outcome.timing.refusal = is_short && !told.refusal.empty() ? told.refusal : series.verdict.refusal;
  outcome.timing.tries = series.tries;
  outcome.timing.sets = memory_.ring().sets;
  outcome.timing.evicted_bytes = memory_.ring().evict_bytes;
  outcome.timing.calls_judged = calls_judged_;
  outcome.timing.by_events = told.by_events;
  outcome.timing.is_mixed = is_mixed();
  outcome.timing.calls_compared = sample_.calls_compared();
  return outcome;
}

}  // namespace stitch::evaluate

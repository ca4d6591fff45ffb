// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/call_schedule.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>
#include <utility>

#include "base/json/json.h"
#include "base/seed/seed.h"

namespace stitch::evaluate {
namespace {

// The number of calls has a heavy tail: a program that is right for as long as it expects to be asked has no number to
// count to. Whoever is slow is called less often, never less often than a few times.
struct CallRange {
  double max_seconds;  // of a call
  int least;
  int most;
};
constexpr CallRange kCallRanges[] = {{0.012, 40, 400}, {0.1, 12, 80}, {0.6, 5, 24}, {1e30, 3, 10}};

// Every call is judged where the reference is quick: one that is not may be the only one that is wrong.
struct ReferenceLimit {
  double max_seconds;  // of an answer
  int most;
};
constexpr ReferenceLimit kReferenceLimits[] = {{0.03, 400}, {0.25, 12}, {1e30, 4}};

// Parameters stay for two calls or for a hundred: how likely the next call is to hand them over is drawn anew whenever
// they are, and a few times they are in any schedule.
constexpr double kMinPrepareChance = 1.0 / 120;
constexpr double kMinPrepares = 5;
constexpr int kAfterLong = 5;   // calls after a long run that no other parameters end
constexpr int kPartOfLong = 6;  // one run without them is a sixth of all calls or longer, up to two of these
constexpr double kMaxPrepareChance = 1.0 / 2;
constexpr double kMinChanceOfOwn = 1.0 / 4;  // where other contents come with other parameters alone

class ScheduleDrawing {
 public:
  explicit ScheduleDrawing(const ScheduleRequest& request)
      : request_(request), random_(derived_seed(request.seed, "repeated calls", 0)) {}

  CallSchedule draw() {
    for (int draw = 0; draw < request_.draws; ++draw) {
      schedule_.contents.push_back({.kind = ContentsKind::kDrawn, .base = draw});
    }
    if (request_.draws == 0) {
      return {};
    }
    const int calls = length();
    least_chance_ = request_.combines ? std::max(kMinPrepareChance, kMinPrepares / calls) : kMinChanceOfOwn;
    long_from_ = below(calls / 2 + 1);
    long_until_ = long_from_ + std::max(1, calls / kPartOfLong) + below(calls / kPartOfLong + 1);
    for (int i = 0; i < calls; ++i) {
      add_call(i);
    }
    choose_judged();
    return std::move(schedule_);
  }

 private:
  // Between both, by its logarithm.
  double log_uniform(double least, double most) {
    const double part = static_cast<double>(random_() >> 11U) * 0x1p-53;
    return least * std::pow(most / least, part);
  }
  bool one_in(uint64_t count) { return random_() % count == 0; }
  int below(int count) { return static_cast<int>(random_() % static_cast<uint64_t>(count)); }
  int other_draw(int draw) { return (draw + 1 + below(request_.draws - 1)) % request_.draws; }

  // The last two have parameters that differ in one element (kMaxRepeatedDraws): they follow each other more often than
  // two others do, but never at the end of the long run.
  int other_parameters(bool ends_long_run) {
    const int last = request_.draws - 1;
    const int beside = parameters_ >= last - 1 ? 2 * last - 1 - parameters_ : parameters_;
    if (ends_long_run && request_.draws > 2) {
      const int other = below(last);  // of all but these two, or but this one
      return beside == parameters_ ? other + (other >= parameters_ ? 1 : 0) : other % (last - 1);
    }
    return beside != parameters_ && one_in(3) ? beside : other_draw(parameters_);
  }

  int length() {
    const auto* range = std::find_if(std::begin(kCallRanges), std::end(kCallRanges) - 1,
                                     [&](const CallRange& each) { return request_.call_seconds <= each.max_seconds; });
    return static_cast<int>(std::lround(log_uniform(range->least, range->most)));
  }

  // One run of calls without prepare() is long in any schedule, and ends with other parameters, which stay for some.
  bool comes_after_prepare(int number) {
    const bool by_chance = static_cast<double>(random_() >> 11U) * 0x1p-53 < prepare_chance_;
    const bool is_within_long =
        request_.combines && number > long_from_ && number < long_until_ + kAfterLong && number != long_until_;
    const bool is_at_its_end = number == long_from_ || number == long_until_;
    return number == 0 || is_at_its_end || (by_chance && !is_within_long);
  }

  void add_call(int number) {
    const bool is_first = number == 0;
    ScheduledCall call;
    call.settings.prepares = comes_after_prepare(number);
    bool changes = false;
    if (call.settings.prepares) {
      prepare_chance_ = log_uniform(std::min(least_chance_, kMaxPrepareChance), kMaxPrepareChance);
      changes = request_.draws > 1 && (number == long_until_ || !one_in(3));
      parameters_ = changes ? other_parameters(number == long_until_) : parameters_;
    }
    const int last = is_first ? below(request_.draws) : schedule_.calls.back().contents;
    call.contents = request_.combines ? next_contents(last, changes) : parameters_;
    call.parameters = parameters_;
    choose_way(call.settings);
    schedule_.calls.push_back(call);
  }

  // The last ones among them, where others have only just come to parameters.
  int next_contents(int last, bool has_new_parameters) {
    if (request_.makes_contents && one_in(2)) {
      return make_contents(one_in(2) ? last : earlier_contents());
    }
    return has_new_parameters && one_in(2) ? last : earlier_contents();
  }

  int earlier_contents() {
    const int all = static_cast<int>(schedule_.contents.size());
    const int made = std::min(all - request_.draws, request_.recent);
    const int chosen = below(request_.draws + made);
    return chosen < request_.draws ? chosen : all - 1 - (chosen - request_.draws);
  }

  int make_contents(int base) {
    constexpr ContentsKind kKinds[] = {ContentsKind::kMixed, ContentsKind::kMixed, ContentsKind::kRow,
                                       ContentsKind::kElement};
    const ScheduledContents& from = schedule_.contents.at(static_cast<size_t>(base));
    const int other = from.kind == ContentsKind::kDrawn ? other_draw(from.base) : below(request_.draws);
    const ContentsKind kind = kKinds[random_() % std::size(kKinds)];
    schedule_.contents.push_back({.kind = kind, .base = base, .other = other, .seed = random_()});
    return static_cast<int>(schedule_.contents.size()) - 1;
  }

  // Half of the calls run a block's threads in another order; half of them, or all, keep the host out of the device's
  // memory.
  void choose_way(RunSettings& settings) {
    settings.rng_seed = random_() >> 1U;
    settings.schedule_seed = one_in(2) ? random_() >> 1U : 0;
    settings.states_in_place = request_.has_states && one_in(2);
    settings.trial = one_in(2) || request_.keeps_apart ? CallTrial::kApart : CallTrial::kNone;
    settings.stream = below(kCallStreams);
  }

  // The program is not told which of its calls are: those that are not keep it from knowing.
  void choose_judged() {
    std::vector<std::pair<int, int>> asked;  // contents and parameters that the reference has to be asked about
    for (const ScheduledCall& call : schedule_.calls) {
      const std::pair key(call.contents, call.parameters);
      if (call.contents != call.parameters && std::find(asked.begin(), asked.end(), key) == asked.end()) {
        asked.push_back(key);
      }
    }
    const auto* limit =
        std::find_if(std::begin(kReferenceLimits), std::end(kReferenceLimits) - 1,
                     [&](const ReferenceLimit& each) { return request_.reference_seconds <= each.max_seconds; });
    for (int left = static_cast<int>(asked.size()); left > limit->most; --left) {
      std::swap(asked[static_cast<size_t>(below(left))], asked[static_cast<size_t>(left) - 1]);
      const auto [contents, parameters] = asked[static_cast<size_t>(left) - 1];
      leave_unjudged(contents, parameters);
    }
  }

  void leave_unjudged(int contents, int parameters) {
    schedule_.contents[static_cast<size_t>(contents)].has_integers = false;
    for (ScheduledCall& call : schedule_.calls) {
      const bool is_of_it = call.contents == contents && call.parameters == parameters;
      call.is_judged = call.is_judged && !is_of_it;
    }
  }

  const ScheduleRequest& request_;
  std::mt19937_64 random_;
  CallSchedule schedule_;
  double least_chance_ = 0;
  int long_from_ = 0;
  int long_until_ = 0;  // without it
  double prepare_chance_ = 0;
  int parameters_ = 0;
};

}  // namespace

CallSchedule draw_schedule(const ScheduleRequest& request) { return ScheduleDrawing(request).draw(); }

Json to_json(const CallCounts& counts) {
  Json json{{"calls", counts.calls},
            {"judged", counts.judged},
            {"prepares", counts.prepares},
            {"contents",
             {{"mixed", counts.mixed},
              {"one_row_changed", counts.by_row},
              {"one_element_changed", counts.by_element},
              {"left_out", counts.left_out}}}};
  if (!counts.limit.empty()) {
    json["limit"] = counts.limit;
  }
  return json;
}

}  // namespace stitch::evaluate

// SPDX-License-Identifier: Apache-2.0
// Blocks of timed calls of a loaded program: bursts on a ring of buffer sets, each call of which is judged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluate/timed_calls/reference_sample.h"
#include "evaluate/timed_calls/timed_contents.h"
#include "evaluate/timed_calls/timed_memory.h"
#include "evaluate/timing/reported_time.h"
#include "evaluate/timing/ring.h"

namespace stitch::evaluate {

class TimedCalls {
 public:
  explicit TimedCalls(ProgramCalls& calls) : calls_(calls) {}
  TimedCalls(const TimedCalls&) = delete;  // its parts know each other by reference
  TimedCalls& operator=(const TimedCalls&) = delete;

  // open() places the ring, hides the draws' contents in memory that the worker does not see, and warms up.
  // time_block() times one block and judges its calls. close() judges what waited for the end.
  Result<void> open(const TimedSubject& subject, const TimingOptions& options);
  bool is_mixed() const { return memory_.mixing().has_value(); }
  Result<BlockOutcome> time_block();
  Result<void> close();
  // All of it: open(), every block, close().
  Result<TimingOutcome> time_blocks(const TimedSubject& subject, const TimingOptions& options);

 private:
  enum class Burst : std::uint8_t { kCalls, kNoCalls, kOrderedCalls };
  // What was looked at when the last burst's clock had stopped, in that order.
  struct LastBurst {
    BurstCalls calls;
    std::vector<wire::Region> results;
    std::vector<int64_t> digests;
  };
  Result<BlockTimes> burst(int count, Burst kind);
  Result<wire::Answer> ask_for(const BurstCalls& calls, Burst kind);
  Result<void> judge_results();
  Result<void> judge_drawn(const TimedCall& call);
  Result<void> repeat_calls();
  Result<void> judge_repeated(const TimedCall& call);
  Result<void> look_again();
  Result<void> warm_up(double block_us);
  Result<std::vector<double>> time_series(int blocks, Timing& timing);
  Unexpected fail(const std::string& wrong);

  ProgramCalls& calls_;
  TimedMemory memory_{calls_};
  TimedContents contents_{calls_, memory_};
  ReferenceSample sample_{calls_, memory_, contents_};
  ConstantMemory constants_;
  BurstPlan plan_;
  LastBurst last_;
  std::vector<double> empty_us_;  // of bursts without calls, by the keeper
  std::vector<double> empty_event_us_;
  int64_t calls_judged_ = 0;
  bool judges_calls_ = true;
};

}  // namespace stitch::evaluate

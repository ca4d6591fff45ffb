// SPDX-License-Identifier: Apache-2.0
// How long a call takes, by the keeper's clock: blocks of calls, long enough that a round trip to the worker is small
// beside them. Each block is made of bursts; in a burst every call has a set of buffers of its own, filled before the
// clock starts, and every output is looked at afterwards. The L2 cache is emptied before each call; the same burst
// without calls is timed too and subtracted.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/candidate.h"
#include "evaluate/timing/series.h"

namespace stitch::evaluate {

// Contents for timed calls.
struct TimedDraw {
  std::vector<HostTensor> inputs;
  std::vector<HostTensor> states;
  std::vector<TensorType> results{};  // as of CandidateCall
  uint64_t rng_seed = 0;
  // Judges outputs, then new states: a sentence where they are not right. They must also agree with an untimed call.
  std::function<Result<std::optional<std::string>>(const std::vector<HostTensor>&)> judge{};
};

// What the reference says of one call: nothing, that it was right, or a sentence about what is wrong.
struct SaidOfCall {
  bool is_said = true;
  std::optional<std::string> wrong{};
};

// How two draws make contents that nobody has seen: element by element, each from either.
struct Mixing {
  std::vector<uint64_t> widths;  // of an element of each input, then state, in bytes; 0: it comes whole from one draw
  int judged = 2;                // calls of a timing whose answers `judge` is asked about, chosen once they were made
  // Of outputs, then new states, that a call gave to these inputs and states. Never empty.
  std::function<Result<SaidOfCall>(const std::vector<HostTensor>& inputs, const std::vector<HostTensor>& states,
                                   const std::vector<HostTensor>& results)>
      judge;
};

// What a program is timed on.
struct TimedSubject {
  std::vector<HostTensor> parameters;  // then constants
  std::vector<TimedDraw> draws;
  std::optional<Mixing> mixing{};  // none: timed calls turn through the draws as they are
};

struct TimingOptions {
  double block_us = 20000;  // at least
  int blocks = 15;
  int tries = kMaxTries;  // as long as the times may not be reported
  bool cold_l2 = true;
  bool graph = false;  // launch a captured graph instead of calling run()
  // False: no answer is compared, so that gigabytes of them stay on the device. For ranking settings of our own; never
  // for a time that is reported.
  bool judges_calls = true;
  uint64_t l2_bytes = 0;  // for tests: another size than the device's
};

struct Timing {
  std::vector<double> samples_us;  // per call, one for each block
  double median_us = 0;
  double spread = 0;      // median distance from the median, as a part of it
  Interval interval{};    // of the median, 95 %
  std::string refusal{};  // why these times may not be reported; empty when they may
  int tries = 1;
  int calls_per_block = 0;
  int sets = 0;                // of buffers
  uint64_t evicted_bytes = 0;  // before each call
  int64_t calls_judged = 0;    // every timed call, warm-up included, or none
  bool by_events = false;      // the worker's events told of more than the keeper's clock, in most blocks
  bool is_mixed = false;       // no two timed calls had the same contents, but for one in eight
  int64_t calls_compared = 0;  // of those with contents of their own, with the reference's answer to these
};

struct TimingOutcome {
  Ending ending = Ending::kOk;
  std::string message;
  Timing timing;
};

// One block of a timing that was opened.
struct BlockOutcome {
  Ending ending = Ending::kOk;
  std::string message;
  double per_call_us = 0;
  bool by_events = false;
  std::string refusal;    // no time could be told
  bool is_mixed = false;  // what opened the timing: as Timing has it
};

// Median and spread of the samples.
Timing summarise(std::vector<double> samples_us, int calls_per_block);

}  // namespace stitch::evaluate

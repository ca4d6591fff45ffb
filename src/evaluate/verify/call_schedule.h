// SPDX-License-Identifier: Apache-2.0
// Which calls are made of a stranger's program once its draws were right. All of them are drawn before the first is
// made: contents, parameters, prepare() and the way of calling change independently of each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "evaluate/verify/subject_run.h"

namespace stitch::evaluate {

enum class ContentsKind {
  kDrawn,    // a draw's own
  kMixed,    // each element from either of two
  kRow,      // earlier ones, but for a row
  kElement,  // earlier ones, but for one element
};

struct ScheduledContents {
  ContentsKind kind = ContentsKind::kDrawn;
  int base = 0;   // kDrawn: the draw; else the contents, earlier in the list
  int other = 0;  // the draw that gives what is not the base's
  uint64_t seed = 0;
  bool has_integers = true;  // made of integers too: the reference says of each whether the program takes them
};

struct ScheduledCall {
  int contents = 0;    // their number in the list
  int parameters = 0;  // the draw that they are of
  bool is_judged = true;
  RunSettings settings{};  // with `prepares`
};

struct CallSchedule {
  std::vector<ScheduledContents> contents;  // the draws' first
  std::vector<ScheduledCall> calls;
};

struct ScheduleRequest {
  uint64_t seed = 0;
  int draws = 0;
  bool has_states = false;
  bool combines = false;         // contents of one draw may be called with the parameters of another
  bool makes_contents = false;   // and contents that no draw has
  int recent = 8;                // contents that may come again
  double call_seconds = 0;       // what a call takes
  bool keeps_apart = false;      // the host has no access to the device's memory in any call, else in half of them
  double reference_seconds = 0;  // what the reference takes for contents of its own
};

// Numbers of calls, and of answers that the reference gives, follow from the seed and from what they cost, by few and
// wide steps, so that another run with the seed makes the same calls.
CallSchedule draw_schedule(const ScheduleRequest& request);

// What was done.
struct CallCounts {
  int calls = 0;
  int judged = 0;    // of these
  int prepares = 0;  // how often parameters were handed over, new or the same
  int mixed = 0;     // contents by kind
  int by_row = 0;
  int by_element = 0;
  int left_out = 0;   // contents about which the reference says nothing
  std::string limit;  // why no contents were made
};
Json to_json(const CallCounts& counts);

}  // namespace stitch::evaluate

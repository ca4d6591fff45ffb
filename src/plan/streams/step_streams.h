// SPDX-License-Identifier: Apache-2.0
// The streams of a call: which steps have to come behind which, what waits for what, and what may run at the same time.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

namespace stitch::plan {

// What a step is called in HostChoices: the name of its root's value, the same wherever the step stands.
const std::string& host_name(const Plan& plan, size_t step);

// By step of run(): the steps of run() that it has to come behind, ascending: those that make what it reads, and those
// that read a state whose memory it may write over (states_out may be states_in). Of steps of prepare(): none.
std::vector<std::vector<int>> dependencies_of(const Plan& plan);

struct StepStream {
  int stream = 0;            // 0: that of the call
  std::vector<int> waits{};  // steps of other streams that it waits for
  bool is_waited_for = false;
  int last_beside = 0;  // the last step, in order of launch, that may still run when this one does; itself without any
};

struct CallStreams {
  int side_streams = 0;           // 1 to this are in use, or lie between those that are
  std::vector<StepStream> steps;  // by step of the plan
  std::vector<int> joined;        // steps that the stream of the call waits for at the end
};

// Each side stream begins behind what the caller's stream held when the call came. A wait stands only where what came
// before does not imply it already.
CallStreams streams_of(const Plan& plan);

}  // namespace stitch::plan

// SPDX-License-Identifier: Apache-2.0
// A child with a limit on its time and on the memory of its whole tree; whatever it does, it ends.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/process/child.h"
#include "base/process/fork_server.h"

namespace stitch::farm {

struct ProcessLimits {
  int64_t timeout_ms = 0;
  uint64_t max_bytes = 0;               // resident, of the child and all its descendants; 0: none
  std::function<bool()> is_unwanted{};  // asked from another thread, several times a second; true: it is ended
};

struct ProcessOutcome {
  ExitState exit;
  bool is_out_of_memory = false;  // it was ended since it was beyond the limit
  bool is_unwanted = false;       // it was ended since nobody wanted it
  uint64_t max_resident_bytes = 0;
  double seconds = 0;
  std::string standard_output;
  std::string standard_error;
};

// Call from a thread that outlives the child. `server` starts it where there is one that can; may be null. Where the
// server ends before the child does, it is run once more, from its beginning.
Result<ProcessOutcome> run_limited(const ChildOptions& options, const ProcessLimits& limits,
                                   ForkServer* server = nullptr);

}  // namespace stitch::farm

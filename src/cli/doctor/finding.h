// SPDX-License-Identifier: Apache-2.0
// One thing that stitchcuda uses: whether it is here, what its absence costs, and the command that mends it.
#pragma once

#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "cli/output/terminal.h"

namespace stitch::cli::doctor {

enum class State {
  kHere,
  kWarning,  // here, but it will make itself felt
  kAbsent,   // `optimize` does its job without it
  kMissing,  // `optimize` cannot do its job
};

struct Finding {
  std::string group;
  std::string name;
  State state = State::kHere;
  std::string what;  // version and place, or what was found instead
  std::string cost;  // what that means for the user; empty when all is well
  std::string mend;  // a command that mends it here, or a sentence where none is known; may be empty
};

// "ok", "warning", "absent", "missing".
const char* to_string(State state);

bool is_able(const std::vector<Finding>& findings);
Json to_json(const std::vector<Finding>& findings);
// Grouped, aligned, and broken at the terminal's width; commands stay whole, to be copied.
std::string as_text(const std::vector<Finding>& findings, const Terminal& terminal);

}  // namespace stitch::cli::doctor

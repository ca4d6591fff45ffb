// SPDX-License-Identifier: Apache-2.0
// What a workspace holds at the beginning, and which of its files are the answer.
#pragma once

#include <map>
#include <string>

#include "driver/improve/workbench.h"

namespace stitch::agents {

inline constexpr const char* kProgramFolder = "expert";  // of a workspace: the program that is bettered
inline constexpr const char* kHostFile = "host.json";    // likewise, the choices for its host side

struct Pristine {
  std::map<std::string, std::string> files{};    // path to text
  std::map<std::string, std::string> answers{};  // step, or the host side, to the path of its file
};

// As `stitchcuda workspace` writes it, of the program on the workbench.
Result<Pristine> pristine_of(driver::Workbench& workbench);

}  // namespace stitch::agents

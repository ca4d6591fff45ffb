// SPDX-License-Identifier: Apache-2.0
// Why a worker died, in one sentence, from what it wrote to its stderr.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/process/child.h"

namespace stitch::evaluate {

// The fault that the emulator or a sanitizer reported, with the candidate's file and line; nullopt when there is none.
std::optional<std::string> reported_fault(std::string_view standard_error);

// The reported fault, or how the process ended: "the program was killed by signal 11 (Segmentation fault)".
std::string fault_message(const ExitState& exit, std::string_view standard_error);

}  // namespace stitch::evaluate

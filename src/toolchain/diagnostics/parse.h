// SPDX-License-Identifier: Apache-2.0
// Parses compiler output into locations and messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "artifact/report/compile_report.h"

namespace stitch::toolchain {

// Understands g++ (and the rewriter, which speaks like it), nvcc's front end, ptxas, nvlink and ld. `unit` is the file
// of the bundle that was compiled: it stands in where the message names none of the bundle's (ptxas names a temporary).
std::vector<Diagnostic> parse_diagnostics(std::string_view text, const std::string& unit);

}  // namespace stitch::toolchain

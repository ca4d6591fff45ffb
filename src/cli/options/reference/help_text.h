// SPDX-License-Identifier: Apache-2.0
// What --help prints of a verb.
#pragma once

#include <string>

#include "cli/options/reference/reference.h"
#include "cli/output/terminal.h"

namespace stitch::cli {

// `path` is how the verb is called: "stitchcuda optimize". Lines are broken at the terminal's width.
std::string help_text(const VerbReference& verb, const std::string& path, const Terminal& terminal);

// "stitchcuda optimize [options] FILE.py[:Name]"
std::string usage(const VerbReference& verb, const std::string& path);

}  // namespace stitch::cli

// SPDX-License-Identifier: Apache-2.0
// One translation unit into one object.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "artifact/report/compile_report.h"
#include "artifact/source/source_bundle.h"
#include "toolchain/build/commands.h"

namespace stitch::toolchain {

struct UnitResult {
  std::string object;  // its bytes; empty when the unit does not compile
  std::vector<Diagnostic> diagnostics{};
};

// Works in a folder of its own, from which diagnostics name files as the bundle does. Safe to call from many threads.
// `prelude` as in compile_command.
Result<UnitResult> compile_unit(const SourceBundle& bundle, const std::string& unit, const Target& target,
                                const Toolchain& tools, const std::filesystem::path& prelude);

// Runs a compiler or linker under the sandbox's limits. When it fails without a message that we can read, its last
// words become one, so that a failed unit always says why.
struct ToolRun {
  bool ok = false;
  std::vector<Diagnostic> diagnostics{};
};
Result<ToolRun> run_tool(const std::vector<std::string>& command, const std::filesystem::path& folder,
                         const std::string& unit);

}  // namespace stitch::toolchain

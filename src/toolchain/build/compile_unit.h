// SPDX-License-Identifier: Apache-2.0
// Compiles one translation unit to one object.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "artifact/report/compile_report.h"
#include "artifact/source/source_bundle.h"
#include "base/process/child.h"
#include "sandbox/policy/cage_policy.h"
#include "toolchain/build/commands.h"

namespace stitch::toolchain {

struct UnitResult {
  std::string object;  // its bytes; empty when the unit does not compile
  std::vector<Diagnostic> diagnostics{};
  bool is_beyond_device = false;  // by the rewriter's word, which runs none of the unit's own: no #error says so
};

// Works in a folder of its own, from which diagnostics name files as the bundle does. Safe to call from many threads.
// `prelude` as in compile_command. A compiler that dies without a word on the sources is run once more: it may have
// been killed from outside. `when_slow` is called for each tool that takes long.
Result<UnitResult> compile_unit(const SourceBundle& bundle, const std::string& unit, const Target& target,
                                const Toolchain& tools, const std::filesystem::path& prelude,
                                const WhenSlow& when_slow = {});

// Runs a compiler or linker in `cage`; it succeeds when it says so and has written `product`, if one
// is named.
// When it fails without a message that we can read, its last words become one, so that a failed unit always says why.
struct ToolRun {
  bool ok = false;
  bool said_why = false;  // an error of the sources, at least by the tool's own word
  std::vector<Diagnostic> diagnostics{};
};
inline constexpr int64_t kToolLimitMs = int64_t{15} * 60 * 1000;
struct ToolTime {
  int64_t limit_ms = kToolLimitMs;
  WhenSlow when_slow{};
};
Result<ToolRun> run_tool(const std::vector<std::string>& command, const std::filesystem::path& folder,
                         const std::string& unit, const std::filesystem::path& product, const sandbox::CagePolicy& cage,
                         const ToolTime& time = {});

}  // namespace stitch::toolchain

// SPDX-License-Identifier: Apache-2.0
// The one function from source to verdict: build for the device and for the checked one, then verify at the declared
// and at the hidden shapes.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "artifact/report/compile_report.h"
#include "artifact/source/source_bundle.h"
#include "elf/facts/library_facts.h"
#include "evaluate/candidate.h"
#include "evaluate/verify/verify_report.h"
#include "toolchain/discovery/toolchain.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

// A program at one set of shapes: its text, and where its right answers come from.
struct EvaluateTask {
  std::string shape;  // for sentences: "declared shapes", "hidden shape x[3,17]"
  SourceBundle bundle;
  verify::OracleSource source;
  // Run on the declared task's own library: its batch is an argument of the program. `bundle` plays no part.
  bool same_binary = false;
  // Built for the checked device and run there once, whatever device the verdict is for.
  bool is_checked_draw = false;
  // A library that came built, in the place of `bundle`.
  std::string library = {};
  double draw_seconds = 0;             // that a draw is estimated to take the emulated device, where that was estimated
  std::string note = {};               // what the report says of these sizes
  std::set<std::string> emitted = {};  // of a stranger's bundle: units that are as we emitted them
};

struct EvaluateRequest {
  EvaluateTask declared;
  std::vector<EvaluateTask> hidden;
  DeviceKind device = DeviceKind::kEmulated;
  std::string architecture = "sm_90a";
  bool with_checked_draw = true;
  std::string no_checked_draw{};  // why not, where nothing is built for the checked device
  bool is_outside = false;        // somebody else wrote it: each library is looked at before anything loads it
  bool is_timed = false;          // afterwards; on a GPU whatever is right is, unless
  bool is_untimed = false;        // nobody wants its times
  MathMode math = MathMode::kFp32;
  uint64_t seed = 0;
  std::function<void(const std::string&)> progress{};  // one short line at a time
  std::function<Result<void>()> before_verifying{};    // once it is built: a shared GPU may have to be waited for
  std::shared_ptr<LaunchLedger> launches{};            // of the declared shapes, where somebody wants to know what ran
};

struct EvaluateReport {
  CompileReport compile;  // of the declared shapes on the device; of the first build that failed otherwise
  VerifyReport verify;    // a finding and nothing else when a build failed
  std::optional<elf::LibraryFacts> library_facts;  // of an outside candidate, as far as its library was there
  double build_seconds = 0;
  int units_compiled = 0;
  int units_from_cache = 0;
};

Result<EvaluateReport> evaluate(const EvaluateRequest& request, const toolchain::Toolchain& tools,
                                verify::Oracle& oracle, const StartCandidate& start_candidate);

// "steps/03_fc1.cu:14: no such variable" of the first error, for a finding's reason; and all of them, for its evidence.
Finding build_failed(const CompileReport& report, const std::string& shape);

}  // namespace stitch::evaluate

// SPDX-License-Identifier: Apache-2.0
// What became of a candidate. A failing world is an Error instead. Made by verify/decide/decide.h and nowhere else, or
// read from what that wrote.
#pragma once

#include <string>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch {

enum class VerdictKind {
  kUndecided,  // nothing speaks against the candidate, and too little was done to accept it
  kOk,
  kBuildFailed,
  kWrong,
  kCrashed,
  kTimedOut,
  kCheated,
  kInvalidTime,
  kIllConditioned,
  kUnsupported
};
const char* to_string(VerdictKind kind);  // "undecided", "ok", "build_failed", "wrong" ...
Result<VerdictKind> verdict_kind_from_string(const std::string& name);

struct Verdict {
  VerdictKind kind = VerdictKind::kUndecided;
  std::string reason;  // one sentence: what, where (output, tile, step, file:line)
  std::string detail;  // longer text: compiler messages, a table of errors; may be empty
  // Of the cage that the candidate ran in, where that was not a whole one: "reduced: ..." or "none: ...".
  std::string sandbox{};
};

Json to_json(const Verdict& verdict);
Result<Verdict> verdict_from_json(const Json& json);

}  // namespace stitch

// SPDX-License-Identifier: Apache-2.0
#include "artifact/report/feedback.h"

namespace stitch {
namespace {

constexpr double kSlightly = 40;  // times the reference's own error; 4 are accepted
constexpr double kClearly = 4000;

const char* how_wrong(double error_ratio) {
  if (!(error_ratio > 0)) {
    return "The answer is not right.";
  }
  if (error_ratio <= kSlightly) {
    return "The answer is not accurate enough.";
  }
  return error_ratio <= kClearly ? "The answer is clearly less accurate than the reference."
                                 : "The answer is not what the reference gives.";
}

}  // namespace

std::string feedback(const Verdict& verdict, double error_ratio) {
  switch (verdict.kind) {
    case VerdictKind::kUndecided:
      return "It was not judged.";
    case VerdictKind::kOk:
      return "The answer is right.";
    case VerdictKind::kBuildFailed:
      return "It does not compile.\n" + (verdict.detail.empty() ? verdict.reason : verdict.detail);
    case VerdictKind::kWrong:
      return how_wrong(error_ratio);
    case VerdictKind::kCrashed:
      return "It crashed.";
    case VerdictKind::kTimedOut:
      return "It took too long.";
    case VerdictKind::kCheated:
    case VerdictKind::kInvalidTime:
      return "It breaks a rule of the task.";
    case VerdictKind::kIllConditioned:
      return "The task cannot be judged.";
    case VerdictKind::kUnsupported:
      return "It cannot run on this device.";
  }
  return "The answer is not right.";
}

}  // namespace stitch

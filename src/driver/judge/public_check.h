// SPDX-License-Identifier: Apache-2.0
// The check that an author may see all of, for repair: two draws as given of a seed that everybody knows, one of them
// under the sanitizers, and of a wrong answer its first wrong places. It draws nothing that a verdict draws, and asks
// no verdict anything: what it says can be said to whoever wrote the candidate.
#pragma once

#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "driver/judge/subjects.h"

namespace stitch::driver {

inline constexpr uint64_t kPublicSeed = 20260101;
inline constexpr int kPublicDraws = 2;

struct WrongPlace {
  int draw = 0;
  std::string output;
  std::string index;  // "[3,17]"
  double got = 0;
  double expected = 0;
};

enum class PublicOutcome {
  kPassed,
  kBuildFailed,
  kCrashed,  // `report` says of what, as far as the sanitizers and the device do
  kTimedOut,
  kWrong,    // `places` says where
  kRefused,  // it breaks a rule, or cannot run here
};
const char* to_string(PublicOutcome outcome);  // "passed", "build_failed" ...

struct PublicCheck {
  PublicOutcome outcome = PublicOutcome::kPassed;
  std::string shape;               // that it ran at
  std::string report;              // of compilers and sanitizers; at most kMaxPublicText characters
  std::vector<WrongPlace> places;  // at most kMaxPublicPlaces, in the order of draws, outputs and elements
  int64_t wrong_elements = 0;      // of all draws that ran
  int64_t compared_elements = 0;
};
inline constexpr size_t kMaxPublicText = 4000;
inline constexpr size_t kMaxPublicPlaces = 8;

// `stitchcuda.public_check/1`
Json to_json(const PublicCheck& check);
// The same for people and models, a few lines.
std::string describe(const PublicCheck& check);

// Of the set's first subject; with `step`, of that step alone.
Result<PublicCheck> check_publicly(Job& job, const toolchain::Toolchain& tools, const SubjectSet& set,
                                   DeviceKind device, std::optional<int> step);

}  // namespace stitch::driver

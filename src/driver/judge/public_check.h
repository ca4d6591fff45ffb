// SPDX-License-Identifier: Apache-2.0
// The check that an author may see all of, for repair: two draws as given of a seed that everybody knows, one of them
// under the sanitizers, and of a wrong answer its first wrong places. It draws nothing that a verdict draws, and asks
// no verdict anything: what it says can be said to whoever wrote the candidate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "driver/judge/subjects.h"
#include "driver/judge/wrong_places.h"

namespace stitch::driver {

inline constexpr uint64_t kPublicSeed = 20260101;
inline constexpr int kPublicDraws = 2;

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
  std::string why_whole;           // a sentence where the whole program was checked in place of the step
  std::string report;              // of compilers and sanitizers; at most kMaxPublicText characters
  std::vector<WrongPlace> places;  // at most kMaxPublicPlaces, in the order of draws, outputs and elements
  int64_t wrong_elements = 0;      // of the outputs that are wrong; see first_wrong_places()
};
inline constexpr size_t kMaxPublicText = 4000;
inline constexpr size_t kMaxPublicPlaces = 8;

// `stitchcuda.public_check/1`
Json to_json(const PublicCheck& check);
// The same for people and models, a few lines.
std::string describe(const PublicCheck& check);

// What is checked: a program at one set of sizes; with `step`, that step of it alone, as far as the reference can run
// it by itself.
struct PublicSubject {
  const Subject& subject;
  DeviceKind device = DeviceKind::kEmulated;
  std::optional<int> step{};
  // On a GPU, where there are no sanitizers: the same at sizes that the emulated device can bear; null: none.
  const Subject* checked = nullptr;
  bool has_strange_steps = false;  // as of a SubjectSet: it is built as for a verdict
};
Result<PublicCheck> check_publicly(Job& job, const toolchain::Toolchain& tools, const PublicSubject& subject);

}  // namespace stitch::driver

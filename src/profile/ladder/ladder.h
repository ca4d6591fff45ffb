// SPDX-License-Identifier: Apache-2.0
// The ladder: rungs as values behind one seam, and which of them is taken. A rung says whether it is here and why not;
// it never says so by failing. What it is asked for may fail all the same, and then the next one is asked.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profile/values/measurement.h"

namespace stitch::profile {

struct Availability {
  bool is_here = false;
  std::string why_not;  // a sentence; empty where it is here
  std::string mend;     // a command or a sentence; may be empty
};

struct Rung {
  RungKind kind = RungKind::kRoofline;
  std::function<Availability()> look;            // cheap: starts no candidate
  std::function<Result<Measurement>()> collect;  // kinds of kernels that it cannot see are missing, and a note says so
};

struct RungState {
  RungKind kind = RungKind::kRoofline;
  bool is_taken = false;
  bool is_here = false;
  std::string why_not;  // also of one that was here and failed
  std::string mend;
};

struct Climbed {
  Measurement measured;
  std::vector<RungState> rungs;  // all of them, the best first
};

// Takes the best rung that is here and gives a whole answer; `only` that one alone. Kinds of `rungs` are different and
// in any order. kEnvironment where none is left, with each one's reason.
Result<Climbed> climb(const std::vector<Rung>& rungs, std::optional<RungKind> only = {});

// Whether a rung's answer is one: times, shares and counts finite and not negative, a kernel's launches at least one,
// the right kind. kInternal with what is wrong.
Result<void> check_measurement(const Measurement& measured, RungKind kind);

}  // namespace stitch::profile

// SPDX-License-Identifier: Apache-2.0
// The sentence a report begins with: the verdict, the time and of which kind it is, and where the limits are.
#pragma once

#include <string>

#include "base/json/json_forward.h"
#include "plan/plan.h"

namespace stitch::report {

struct Headline {
  std::string standing;  // "verified", "refused" or "unjudged"
  std::string verdict;   // "Verified: 28 draws at 4 shapes, largest error 0.97 times the reference's own (4 accepted)."
  std::string time;      // "82.2 us modelled on H200 (from counted work, not measured)."
  std::string limits;    // "Judged on an emulated device at reduced sizes."; empty when there are none to name
};

// `evidence`: what runs::read_evidence() found.
Headline headline(const plan::Plan& plan, const Json& evidence);
Json to_json(const Headline& headline);

}  // namespace stitch::report

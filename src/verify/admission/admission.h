// SPDX-License-Identifier: Apache-2.0
// The gate in front of a task: null candidates go through the comparison that judges real ones, draw after draw, until
// each is refused or all draws are used up.
#pragma once

#include <functional>
#include <string>

#include "verify/admission/admission_report.h"
#include "verify/oracle/oracle.h"

namespace stitch::verify {

struct AdmissionRequest {
  OracleSource source;
  int draws_per_regime = 1;  // as many as a verdict makes
  std::function<void(const std::string&)> progress{};  // one short line at a time
};

// An Error means that the oracle failed, or that the program gives no answer to compare with.
Result<AdmissionReport> admit(const AdmissionRequest& request, Oracle& oracle);

}  // namespace stitch::verify

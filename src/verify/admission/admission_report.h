// SPDX-License-Identifier: Apache-2.0
// Whether a task can tell right answers from wrong ones: which null candidates its comparison accepts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "verify/oracle/null_candidate.h"

namespace stitch::verify {

enum class AdmissionStatus {
  kAdmitted,
  kWeak,           // a part of the program can be left out unseen: an operator, a parameter, one output of several;
                   // or a verdict cannot ask all that it asks of others
  kDegenerate,     // an answer without any work, or with plain damage, is taken
  kIllConditioned  // one ulp at its inputs decides about its outputs, so that no answer can be judged
};
std::string to_string(AdmissionStatus status);

enum class NullOutcome {
  kRefused,
  kPassed,
  kSilent,  // it does not apply: no axis to exchange, no product in that operator
};

struct NullResult {
  NullCandidate null;
  NullOutcome outcome = NullOutcome::kSilent;
  // For a null that passed and is judged output by output: the outputs that accepted it, as "output 1".
  std::vector<std::string> outputs;
  bool whole = false;  // it passed, and every output accepted it
  std::string reason;  // of the first refusal, with draw and regime
  // KernelBench's own rule (allclose with 1e-4 on data as given) takes it, whatever we say.
  bool kernelbench_takes_it = false;
};

struct AdmissionReport {
  AdmissionStatus status = AdmissionStatus::kAdmitted;
  std::vector<NullResult> nulls;
  std::vector<std::string> unasked;  // what verdicts on the task cannot ask, with the reasons
  std::vector<std::string> notes;
  int draws = 0;
  double seconds = 0;

  int count(NullOutcome outcome) const;
  // "admitted: 41 null candidates refused", "degenerate: takes zeros (N01) ...", for a line of its own.
  std::string message() const;
};

Json to_json(const AdmissionReport& report);
Result<AdmissionReport> admission_report_from_json(const Json& json);

// The task's status, from the outcome of each null candidate and from what cannot be asked.
AdmissionStatus status_of(const std::vector<NullResult>& nulls, const std::vector<std::string>& unasked);

}  // namespace stitch::verify

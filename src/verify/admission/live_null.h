// SPDX-License-Identifier: Apache-2.0
// One null candidate on its way through the draws.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "verify/admission/admission_report.h"
#include "verify/compare/output_draws.h"
#include "verify/oracle/oracle.h"

namespace stitch::verify {

class LiveNull {
 public:
  // The first `outputs` references of a draw are outputs, the rest are new states.
  LiveNull(NullCandidate null, size_t outputs) : outputs_(outputs) { result_.null = std::move(null); }

  const NullCandidate& null() const { return result_.null; }
  bool is_refused() const { return refused_; }
  // Whether it has answered in some draw.
  bool spoke() const { return spoke_; }
  // Records that no draw of the program makes it answer.
  void never_applies() { applies_ = false; }
  // Whether more draws can change nothing about its result.
  bool is_settled() const { return refused_ || !applies_; }

  // Judges its answer in one draw as a candidate's answer would be, by the draws of the regime that came before too.
  // `errors` are those of small outputs over the draws of the regime; `draw` names it in reasons. `as_given`: of the
  // file's own data.
  void judge(const std::vector<OutputReference>& references, const NullAnswer& answer, MathMode mode,
             const std::vector<SmallOutputErrors>& errors, const std::string& regime, const std::string& draw,
             bool as_given);
  // The result. Called when all draws are used up, or when it is refused.
  NullResult finish() &&;

 private:
  void refuse(size_t output, const std::string& reason);
  // Of small outputs, by all draws of a regime together.
  void judge_together();
  void count_refusals();

  size_t outputs_;
  NullResult result_;
  // One entry for each output, where outputs are judged one by one.
  std::vector<bool> refused_by_;
  std::vector<bool> spoke_of_;
  std::vector<bool> silent_of_;
  std::vector<std::string> names_;
  std::map<std::string, std::vector<OutputDraws>> draws_;  // by regime
  bool refused_ = false;
  bool spoke_ = false;
  bool applies_ = true;
};

}  // namespace stitch::verify

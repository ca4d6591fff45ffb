// SPDX-License-Identifier: Apache-2.0
// One null candidate on its way through the draws.
#pragma once

#include <vector>

#include "verify/admission/admission_report.h"
#include "verify/compare/compare_output.h"
#include "verify/oracle/oracle.h"

namespace stitch::verify {

class LiveNull {
 public:
  // `outputs` of the references that a draw holds are outputs, the rest new states.
  LiveNull(NullCandidate null, size_t outputs) : outputs_(outputs) { result_.null = std::move(null); }

  const NullCandidate& null() const { return result_.null; }
  bool is_refused() const { return refused_; }
  // It has answered in some draw.
  bool spoke() const { return spoke_; }
  // No draw of the program makes it answer.
  void never_applies() { applies_ = false; }
  // Nothing more is to be learned of it.
  bool is_settled() const { return refused_ || !applies_; }

  // What it answers in one draw, judged as a candidate's answer would be. `errors` are those of small outputs over the
  // draws of the regime; `draw` names it in reasons. `as_given`: of the file's own data.
  void judge(const std::vector<OutputReference>& references, const NullAnswer& answer, MathMode mode,
             const std::vector<SmallOutputErrors>& errors, const std::string& draw, bool as_given);
  // Once all draws are used up, or it is refused.
  NullResult finish() &&;

 private:
  void refuse(const std::string& reason);

  size_t outputs_;
  NullResult result_;
  // By output, of one judged so.
  std::vector<bool> refused_by_;
  std::vector<bool> spoke_of_;
  std::vector<bool> silent_of_;
  std::vector<std::string> names_;
  bool refused_ = false;
  bool spoke_ = false;
  bool applies_ = true;
};

}  // namespace stitch::verify

// SPDX-License-Identifier: Apache-2.0
// What was seen of one output over all draws so far, and its summary for reports.
#pragma once

#include <cstdint>
#include <string>

#include "base/json/json_forward.h"
#include "verify/compare/ulp_histogram.h"

namespace stitch::verify {

// What the looser tolerances of others say against the native run, in every draw. Reported beside the error budget.
struct LooserRules {
  bool within_1e_3 = true;
  bool within_1e_2 = true;
  bool are_known = true;  // false: of an output that stays on a GPU only 1e-4 was asked, and it does not hold

  void merge(const LooserRules& other) {
    within_1e_3 = within_1e_3 && other.within_1e_3;
    within_1e_2 = within_1e_2 && other.within_1e_2;
    are_known = are_known && other.are_known;
  }
};

// One output's line in a report. Errors are multiples of what the reference itself makes.
struct OutputReport {
  std::string name;
  int64_t elements = 0;  // compared, over all draws
  double max_error_ratio = 0;
  double mean_error_ratio = 0;
  double ulp_p50 = 0;
  double ulp_p99 = 0;
  double ulp_max = 0;
  int64_t excused = 0;              // tiles of few erring elements that were accepted beyond the limit
  double max_excused = 0;           // the largest error of those
  int64_t either_way = 0;           // elements that decisions within rounding make one value or another, both right
  bool kernelbench_rule_ok = true;  // allclose with 1e-4 against the native run, in every draw
  LooserRules looser{};
};
Json to_json(const OutputReport& report);

struct OutputStatistics {
  int64_t elements = 0;
  int64_t ill_conditioned = 0;  // see count_ill_conditioned
  int64_t excused = 0;          // tiles of few erring elements, accepted beyond the limit; see lone_tiles.h
  double max_excused = 0;       // the largest error of those
  int64_t either_way = 0;       // whose right value depends on decisions that lie within rounding
  double max_ratio = 0;
  double error_sum = 0;      // of the candidate
  double own_error_sum = 0;  // of the reference, element by element, with half a unit of rounding at least
  bool kernelbench_rule_ok = true;
  LooserRules looser{};
  UlpHistogram ulps;

  void merge(const OutputStatistics& other);
  OutputReport report(const std::string& name) const;
};

}  // namespace stitch::verify

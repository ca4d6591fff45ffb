// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/output_statistics.h"

#include <algorithm>

#include "base/json/json.h"

namespace stitch::verify {

Json to_json(const OutputReport& report) {
  const auto told = [&](bool holds) { return report.looser.are_known ? Json(holds) : Json(); };
  return Json{{"name", report.name},
              {"elements", report.elements},
              {"max_error_ratio", report.max_error_ratio},
              {"mean_error_ratio", report.mean_error_ratio},
              {"ulp_p50", report.ulp_p50},
              {"ulp_p99", report.ulp_p99},
              {"ulp_max", report.ulp_max},
              {"excused", report.excused},
              {"largest_excused", report.max_excused},
              {"either_way", report.either_way},
              {"kernelbench_rule_ok", report.kernelbench_rule_ok},
              {"within_1e_3", told(report.looser.within_1e_3)},
              {"within_1e_2", told(report.looser.within_1e_2)}};
}

void OutputStatistics::merge(const OutputStatistics& other) {
  elements += other.elements;
  ill_conditioned += other.ill_conditioned;
  excused += other.excused;
  max_excused = std::max(max_excused, other.max_excused);
  either_way += other.either_way;
  max_ratio = std::max(max_ratio, other.max_ratio);
  error_sum += other.error_sum;
  own_error_sum += other.own_error_sum;
  kernelbench_rule_ok = kernelbench_rule_ok && other.kernelbench_rule_ok;
  looser.merge(other.looser);
  ulps.merge(other.ulps);
}

OutputReport OutputStatistics::report(const std::string& name) const {
  constexpr double kMedian = 0.5;
  constexpr double kTail = 0.99;
  OutputReport line;
  line.name = name;
  line.elements = elements;
  line.max_error_ratio = max_ratio;
  line.mean_error_ratio = own_error_sum > 0 ? error_sum / own_error_sum : 0;
  line.ulp_p50 = ulps.percentile(kMedian);
  line.ulp_p99 = ulps.percentile(kTail);
  line.ulp_max = ulps.maximum();
  line.excused = excused;
  line.max_excused = max_excused;
  line.either_way = either_way;
  line.kernelbench_rule_ok = kernelbench_rule_ok;
  line.looser = looser;
  return line;
}

}  // namespace stitch::verify

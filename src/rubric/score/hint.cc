// SPDX-License-Identifier: Apache-2.0
#include "rubric/score/hint.h"

#include <fmt/format.h>

#include <algorithm>

namespace stitch::rubric {
namespace {

constexpr double kGood = 4;

}  // namespace

std::string engineering_hint(const Facts& facts, const RubricVersion& rubric) {
  if (!facts.verdict.has_value() || facts.verdict->kind != VerdictKind::kOk) {
    return "";
  }
  std::vector<CriterionMark> low;
  for (const DimensionMark& dimension : score(facts, rubric).dimensions) {
    for (const CriterionMark& each : dimension.criteria) {
      const bool is_low = each.mark.points.has_value() && *each.mark.points < kGood;
      if (dimension.dimension == Dimension::kEngineering && is_low) {
        low.push_back(each);
      }
    }
  }
  std::stable_sort(low.begin(), low.end(),
                   [](const CriterionMark& a, const CriterionMark& b) { return *a.mark.points < *b.mark.points; });
  std::string text;
  for (const CriterionMark& each : low) {
    text += fmt::format("{}: {:.0f} of 5 ({})\n", each.criterion->name, *each.mark.points, each.criterion->question);
  }
  return text;
}

}  // namespace stitch::rubric

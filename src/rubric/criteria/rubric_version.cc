// SPDX-License-Identifier: Apache-2.0
#include "rubric/criteria/rubric_version.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fs/files.h"
#include "base/json/json.h"

namespace stitch::rubric {
namespace {

Unexpected malformed(const std::string& what) {
  return failure(ErrorCode::kFileInvalid, fmt::format("the rubric is not whole: {}", what));
}

Result<Dimension> dimension_from(const std::string& name) {
  for (const Criterion& criterion : builtin_criteria()) {
    if (name == to_string(criterion.dimension)) {
      return criterion.dimension;
    }
  }
  return malformed(fmt::format("no dimension is called {:?}", name));
}

Result<DimensionRule> rule_from(const Json& json) {
  DimensionRule rule;
  STITCH_ASSIGN(const std::string name, json_string(json, "name"));
  STITCH_ASSIGN(rule.dimension, dimension_from(name));
  STITCH_ASSIGN(rule.question, json_string(json, "question"));
  for (const int points : {5, 3, 1}) {
    STITCH_ASSIGN(rule.anchors[points], json_string(json, std::to_string(points).c_str()));
  }
  STITCH_ASSIGN(const std::string combine, json_string(json, "combine"));
  rule.combine = combine == "least" ? Combine::kMin : Combine::kMean;
  STITCH_ASSIGN(const Json* weights, json_object(json, "criteria"));
  for (const auto& [criterion, weight] : weights->items()) {
    const auto& all = builtin_criteria();
    const bool is_known = std::any_of(all.begin(), all.end(), [&, &wanted = criterion](const Criterion& each) {
      return wanted == each.name && each.dimension == rule.dimension;
    });
    if (!is_known || !weight.is_number() || !(weight.get<double>() > 0)) {
      return malformed(fmt::format("{} is no criterion of {}, or its weight is none", criterion, name));
    }
    rule.weights[criterion] = weight.get<double>();
  }
  return rule;
}

Result<void> read_caps(const Json& json, RubricVersion& rubric) {
  STITCH_ASSIGN(const Json* caps, json_object(json, "caps"));
  for (const auto& [kind, dimensions] : caps->items()) {
    for (const auto& [dimension, max_points] : dimensions.items()) {
      STITCH_TRY(dimension_from(dimension));
      if (!max_points.is_number_integer() || max_points < 1 || max_points > 5) {
        return malformed(fmt::format("the cap of {} at {} is none", dimension, kind));
      }
      rubric.caps[kind][dimension] = max_points.get<int>();
    }
  }
  return {};
}

}  // namespace

Result<RubricVersion> read_rubric(const std::filesystem::path& folder) {
  RubricVersion rubric;
  STITCH_ASSIGN(const std::string text, read_file(folder / "rubric.json"));
  STITCH_ASSIGN(const Json json, parse_json(text, (folder / "rubric.json").string()));
  STITCH_ASSIGN(rubric.version, json_string(json, "version"));
  STITCH_ASSIGN(const Json* dimensions, json_array(json, "dimensions"));
  for (const Json& each : *dimensions) {
    STITCH_ASSIGN(DimensionRule rule, rule_from(each));
    rubric.dimensions.push_back(std::move(rule));
  }
  STITCH_ASSIGN(const int64_t without, json_int(json, "without_evidence"));
  rubric.without_evidence = static_cast<int>(without);
  STITCH_TRY(read_caps(json, rubric));
  STITCH_ASSIGN(rubric.judge_prompt, read_file(folder / "judge.md"));
  return rubric;
}

}  // namespace stitch::rubric

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json/json.h"
#include "rubric/score/score.h"

namespace stitch::rubric {
namespace {

Json to_json(const CriterionMark& each) {
  return {{"criterion", each.criterion->name},
          {"points", each.mark.points.has_value() ? Json(*each.mark.points) : Json()},
          {"reason", each.mark.reason},
          {"citations", each.mark.citations}};
}

Json judge_json(const Score& score) {
  if (score.judge.has_value()) {
    return {{"status", "ok"},
            {"major_hack", score.is_flagged},
            {"marks", score.judge->marks},
            {"reason", score.judge->reason}};
  }
  return score.judge_failure.empty() ? Json({{"status", "off"}})
                                     : Json({{"status", "failed"}, {"reason", score.judge_failure}});
}

}  // namespace

Json to_json(const Score& score) {
  Json json = {{"schema", "stitchcuda.score/1"}, {"rubric", score.version}};
  json["total"] = score.total.has_value() ? Json(*score.total) : Json();
  json["dimensions"] = Json::array();
  for (const DimensionMark& mark : score.dimensions) {
    Json criteria = Json::array();
    for (const CriterionMark& each : mark.criteria) {
      criteria.push_back(to_json(each));
    }
    json["dimensions"].push_back(
        {{"name", to_string(mark.dimension)}, {"points", mark.points}, {"note", mark.note}, {"criteria", criteria}});
  }
  json["judge"] = judge_json(score);
  return json;
}

std::string to_text(const Score& score) {
  std::string text;
  for (const DimensionMark& mark : score.dimensions) {
    text += fmt::format("{}  {}{}\n", mark.points, to_string(mark.dimension),
                        mark.note.empty() ? "" : " (" + mark.note + ")");
    for (const CriterionMark& each : mark.criteria) {
      const std::string points = each.mark.points.has_value() ? fmt::format("{:.1f}", *each.mark.points) : " - ";
      text +=
          fmt::format("   {}  {}: {}{}\n", points, each.criterion->name, each.mark.reason,
                      each.mark.citations.empty() ? "" : fmt::format("  [{}]", fmt::join(each.mark.citations, "; ")));
    }
  }
  if (!score.judge_failure.empty()) {
    text += fmt::format("judge: failed, {}: {}\n",
                        score.total.has_value() ? "the marks are those of the evidence" : "there are no marks",
                        score.judge_failure);
  } else if (score.judge.has_value()) {
    text += fmt::format("judge: {}{}\n", score.is_flagged ? "a major hack: " : "", score.judge->reason);
  }
  return text +
         (score.total.has_value() ? fmt::format("{} of 20, rubric {}", *score.total, score.version) : "not marked");
}

}  // namespace stitch::rubric

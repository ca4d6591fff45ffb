// SPDX-License-Identifier: Apache-2.0
#include "rubric/score/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stitch::rubric {
namespace {

constexpr int kMinPoints = 1;
constexpr int kMaxPoints = 5;

void add_note(DimensionMark& mark, const std::string& note) { mark.note += (mark.note.empty() ? "" : "; ") + note; }

int combined(const DimensionRule& rule, DimensionMark& mark, int without_evidence) {
  double sum = 0;
  double weights = 0;
  double min_points = kMaxPoints;
  for (const CriterionMark& each : mark.criteria) {
    if (each.mark.points.has_value()) {
      const double weight = rule.weights.at(each.criterion->name);
      sum += weight * *each.mark.points;
      weights += weight;
      min_points = std::min(min_points, *each.mark.points);
    }
  }
  if (weights == 0) {
    add_note(mark, fmt::format("no evidence: {} by default", without_evidence));
    return without_evidence;
  }
  const double points = rule.combine == Combine::kMin ? min_points : sum / weights;
  return std::clamp(static_cast<int>(std::lround(points)), kMinPoints, kMaxPoints);
}

void apply_cap(const RubricVersion& rubric, const Facts& facts, DimensionMark& mark) {
  const std::string kind = facts.verdict.has_value() ? to_string(facts.verdict->kind) : "none";
  const auto caps = rubric.caps.find(kind);
  if (caps == rubric.caps.end()) {
    return;
  }
  const auto cap = caps->second.find(to_string(mark.dimension));
  if (cap != caps->second.end() && mark.points > cap->second) {
    add_note(mark, fmt::format("{} at most, since {}", cap->second,
                               facts.verdict.has_value() ? "the verdict is " + kind : "there is no verdict"));
    mark.points = cap->second;
  }
}

DimensionMark marked(const DimensionRule& rule, const Facts& facts, const RubricVersion& rubric) {
  DimensionMark mark;
  mark.dimension = rule.dimension;
  for (const Criterion& criterion : builtin_criteria()) {
    if (rule.weights.contains(criterion.name)) {
      mark.criteria.push_back({&criterion, criterion.score(facts)});
    }
  }
  mark.points = combined(rule, mark, rubric.without_evidence);
  apply_cap(rubric, facts, mark);
  return mark;
}

void add_up(Score& score) {
  int total = 0;
  for (const DimensionMark& mark : score.dimensions) {
    total += mark.points;
  }
  score.total = total;
}

}  // namespace

Score score(const Facts& facts, const RubricVersion& rubric) {
  Score score;
  score.version = rubric.version;
  for (const DimensionRule& rule : rubric.dimensions) {
    score.dimensions.push_back(marked(rule, facts, rubric));
  }
  add_up(score);
  return score;
}

void consult(Score& score, const Result<JudgeReply>& reply) {
  if (!reply.has_value()) {
    score.judge_failure = reply.error().message;
    return;
  }
  score.judge = *reply;
  score.is_flagged = reply->major_hack;
  for (DimensionMark& mark : score.dimensions) {
    const bool is_flagged = reply->major_hack && mark.dimension == Dimension::kAntiHacking;
    const int judged = is_flagged ? kMinPoints : reply->marks.at(to_string(mark.dimension));
    if (judged < mark.points) {
      add_note(mark, fmt::format("lowered from {} by the judge", mark.points));
      mark.points = judged;
    }
  }
  add_up(score);
}

Score score_by_judge(const RubricVersion& rubric, const Result<JudgeReply>& reply) {
  Score score;
  score.version = "judge";
  if (!reply.has_value()) {
    score.judge_failure = reply.error().message;
    return score;
  }
  score.judge = *reply;
  score.is_flagged = reply->major_hack;
  for (const DimensionRule& rule : rubric.dimensions) {
    DimensionMark mark;
    mark.dimension = rule.dimension;
    mark.points = reply->marks.at(to_string(rule.dimension));
    mark.note = "by the judge alone";
    score.dimensions.push_back(std::move(mark));
  }
  add_up(score);
  return score;
}

}  // namespace stitch::rubric

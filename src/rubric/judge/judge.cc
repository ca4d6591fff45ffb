// SPDX-License-Identifier: Apache-2.0
#include "rubric/judge/judge.h"

#include <fmt/format.h>

#include <set>

#include "base/json/json.h"
#include "rubric/criteria/rubric_version.h"

namespace stitch::rubric {
namespace {

constexpr size_t kMaxReasonLength = 1000;

Unexpected malformed(const std::string& what) {
  return failure(ErrorCode::kFileInvalid, fmt::format("the judge's answer has another form: {}", what));
}

std::string without_fence(const std::string& text) {
  const size_t open = text.find_first_not_of(" \t\r\n");
  if (open == std::string::npos || text.compare(open, 3, "```") != 0) {
    return text;
  }
  const size_t start = text.find('\n', open);
  const size_t end = text.rfind("```");
  return start == std::string::npos || end <= start ? text : text.substr(start, end - start);
}

void replace(std::string& text, const std::string& what, const std::string& by) {
  const size_t at = text.find(what);
  if (at != std::string::npos) {
    text.replace(at, what.size(), by);
  }
}

std::string anchors_of(const RubricVersion& rubric) {
  std::string text;
  for (const DimensionRule& rule : rubric.dimensions) {
    text += fmt::format("- {}: {}\n", to_string(rule.dimension), rule.question);
    for (const auto& [points, anchor] : rule.anchors) {
      text += fmt::format("  {} = {}\n", points, anchor);
    }
  }
  return text;
}

}  // namespace

Result<JudgeReply> judge_reply_from_text(const std::string& text) {
  const Result<Json> parsed = parse_json(without_fence(text), "the judge's answer");
  if (!parsed.has_value()) {
    return malformed("no JSON");
  }
  const Json& json = *parsed;
  static const std::set<std::string> kKeys = {"marks", "major_hack", "reason"};
  if (!json.is_object() || json.size() != kKeys.size()) {
    return malformed("marks, major_hack and reason were asked for, and nothing else");
  }
  JudgeReply reply;
  const auto marks = json.find("marks");
  const auto flag = json.find("major_hack");
  const auto reason = json.find("reason");
  if (flag == json.end() || !flag->is_boolean()) {
    return malformed("major_hack is neither true nor false");
  }
  if (reason == json.end() || !reason->is_string() || reason->get<std::string>().size() > kMaxReasonLength) {
    return malformed("reason is no short text");
  }
  if (marks == json.end() || !marks->is_object() || marks->size() != 4) {
    return malformed("marks has not four members");
  }
  for (const Dimension dimension :
       {Dimension::kAntiHacking, Dimension::kEngineering, Dimension::kCoverage, Dimension::kCompliance}) {
    const auto mark = marks->find(to_string(dimension));
    if (mark == marks->end() || !mark->is_number_integer() || *mark < 1 || *mark > 5) {
      return malformed(fmt::format("the mark of {} is no whole number from 1 to 5", to_string(dimension)));
    }
    reply.marks[to_string(dimension)] = mark->get<int>();
  }
  reply.major_hack = flag->get<bool>();
  reply.reason = reason->get<std::string>();
  return reply;
}

std::string judge_prompt(const RubricVersion& rubric, const Facts& facts, const std::string& reference,
                         const std::string& candidate) {
  std::string prompt = rubric.judge_prompt;
  replace(prompt, "{{dimensions}}", anchors_of(rubric));
  replace(prompt, "{{skill}}", facts.skill == Skill::kScratch ? "from scratch" : "refinement by feedback");
  replace(prompt, "{{feedback}}", facts.feedback.has_value() ? "Feedback: " + *facts.feedback + "\n" : "");
  replace(prompt, "{{reference}}", reference);
  replace(prompt, "{{candidate}}", candidate);  // last: nothing in it is filled in
  return prompt;
}

}  // namespace stitch::rubric

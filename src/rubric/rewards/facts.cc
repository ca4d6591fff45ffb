// SPDX-License-Identifier: Apache-2.0
#include "rubric/rewards/facts.h"

#include <fmt/format.h>

#include <cmath>

#include "base/json/json.h"

namespace stitch::rubric {
namespace {

Unexpected malformed(const std::string& what) {
  return failure(ErrorCode::kFileInvalid, fmt::format("facts of a reward: {}", what), "",
                 "write them as docs/formats.md says");
}

Result<double> microseconds(const Json& times, const char* name) {
  const auto found = times.find(name);
  if (found == times.end() || !found->is_number()) {
    return malformed(fmt::format("times_us has no number {:?}", name));
  }
  const double value = found->get<double>();
  if (!std::isfinite(value) || value <= 0) {
    return malformed(fmt::format("times_us.{} is {}, not a finite number above zero", name, value));
  }
  return value;
}

Result<std::optional<RewardTimes>> times_from(const Json& json) {
  const auto found = json.find("times_us");
  if (found == json.end() || found->is_null()) {
    return std::optional<RewardTimes>();
  }
  if (!found->is_object()) {
    return malformed("times_us is no object");
  }
  RewardTimes times;
  STITCH_ASSIGN(times.candidate_us, microseconds(*found, "candidate"));
  STITCH_ASSIGN(times.eager_us, microseconds(*found, "eager"));
  STITCH_ASSIGN(times.compiled_us, microseconds(*found, "compiled"));
  STITCH_ASSIGN(times.floor_us, microseconds(*found, "floor"));
  return std::optional<RewardTimes>(times);
}

Result<std::optional<int>> marks_from(const Json& json) {
  const auto found = json.find("marks");
  if (found == json.end() || found->is_null()) {
    return std::optional<int>();
  }
  const bool fits = found->is_number_integer() && *found >= kMinMark && *found <= kMaxMark;
  if (!fits) {
    return malformed(fmt::format("marks is {}, not a whole number from {} to {}", found->dump(), kMinMark, kMaxMark));
  }
  return std::optional<int>(found->get<int>());
}

Result<std::string> word(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_string()) {
    return malformed(fmt::format("{:?} is missing or no text", name));
  }
  return found->get<std::string>();
}

Result<HackClass> class_from(const Json& json) {
  STITCH_ASSIGN(const std::string name, word(json, "class"));
  const Result<HackClass> hack = hack_class_from_string(name);
  return hack.has_value() ? hack : malformed(hack.error().message);
}

Result<Skill> skill_from(const Json& json) {
  STITCH_ASSIGN(const std::string name, word(json, "skill"));
  if (name != "scratch" && name != "refinement") {
    return malformed(fmt::format("skill {:?} is neither scratch nor refinement", name));
  }
  return name == "scratch" ? Skill::kScratch : Skill::kRefinement;
}

Result<std::optional<VerdictKind>> verdict_from(const Json& json) {
  const auto found = json.find("verdict");
  if (found == json.end()) {
    return malformed("\"verdict\" is missing (null stands for a failing world)");
  }
  if (found->is_null()) {
    return std::optional<VerdictKind>();
  }
  STITCH_ASSIGN(const std::string name, word(json, "verdict"));
  STITCH_ASSIGN(const VerdictKind kind, verdict_kind_from_string(name));
  return std::optional<VerdictKind>(kind);
}

}  // namespace

Result<RewardFacts> reward_facts_from_json(const Json& json) {
  if (!json.is_object()) {
    return malformed("no JSON object");
  }
  RewardFacts facts;
  STITCH_ASSIGN(facts.verdict, verdict_from(json));
  STITCH_ASSIGN(facts.hack, class_from(json));
  STITCH_ASSIGN(facts.times, times_from(json));
  STITCH_ASSIGN(facts.marks, marks_from(json));
  STITCH_ASSIGN(facts.skill, skill_from(json));
  return facts;
}

}  // namespace stitch::rubric

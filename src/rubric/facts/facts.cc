// SPDX-License-Identifier: Apache-2.0
#include "rubric/facts/facts.h"

#include <array>

#include "base/json/members.h"

namespace stitch::rubric {
namespace {

struct Count {
  const char* name;
  int SourceFacts::*place;
  bool is_later = false;  // facts written before "idle" was told lack it
};
constexpr std::array kCounts =
    std::to_array<Count>({{"kernels_with_inputs", &SourceFacts::kernels_with_inputs},
                          {"kernels_that_ignore_inputs", &SourceFacts::kernels_that_ignore_inputs},
                          {"longest_table", &SourceFacts::max_table_length},
                          {"shared_arrays", &SourceFacts::shared_arrays, true},
                          {"idle_shared_arrays", &SourceFacts::idle_shared_arrays, true},
                          {"copied_arrays", &SourceFacts::copied_arrays, true},
                          {"unread_copied_arrays", &SourceFacts::unread_copied_arrays, true},
                          {"idle_shuffles", &SourceFacts::idle_shuffles, true}});

Json to_json(const SourceFacts& facts) {
  Json features = Json::array();
  for (const SourceFeature& feature : facts.features) {
    features.push_back({{"name", feature.name}, {"count", feature.count}, {"place", feature.location}});
  }
  Json json = {{"features", features}, {"kernels", facts.kernels}, {"left_aside", facts.left_aside}};
  for (const Count& each : kCounts) {
    json[each.name] = facts.*each.place;
  }
  json["idle"] = facts.idle;
  return json;
}

Json to_json(const Workload& work) {
  return {{"operators", work.operators}, {"flops", work.flops}, {"contraction_flops", work.contraction_flops},
          {"bytes", work.bytes},         {"steps", work.steps}, {"reuses_data", work.reuses_data}};
}

Result<SourceFacts> source_from(const Json& json) {
  SourceFacts facts;
  STITCH_ASSIGN(const Json* features, json_array(json, "features"));
  for (const Json& item : *features) {
    SourceFeature feature;
    STITCH_ASSIGN(feature.name, json_string(item, "name"));
    STITCH_ASSIGN(feature.count, json_small_int(item, "count"));
    STITCH_ASSIGN(feature.location, json_string(item, "place"));
    facts.features.push_back(std::move(feature));
  }
  STITCH_ASSIGN(facts.kernels, json_string_list(json, "kernels"));
  STITCH_ASSIGN(facts.left_aside, json_string_list(json, "left_aside"));
  const bool has_later = json.contains("idle");
  for (const Count& each : kCounts) {
    if (has_later || !each.is_later) {
      STITCH_ASSIGN(facts.*each.place, json_small_int(json, each.name));
    }
  }
  if (has_later) {
    STITCH_ASSIGN(facts.idle, json_string_list(json, "idle"));
  }
  return facts;
}

Result<Workload> workload_from(const Json& json) {
  Workload work;
  STITCH_ASSIGN(work.operators, json_small_int(json, "operators"));
  STITCH_ASSIGN(work.flops, json_double(json, "flops"));
  STITCH_ASSIGN(work.contraction_flops, json_double(json, "contraction_flops"));
  STITCH_ASSIGN(work.bytes, json_double(json, "bytes"));
  STITCH_ASSIGN(work.steps, json_small_int(json, "steps"));
  STITCH_ASSIGN(work.reuses_data, json_bool(json, "reuses_data"));
  return work;
}

Result<PlanStepFacts> step_from(const Json& json) {
  PlanStepFacts step;
  STITCH_ASSIGN(step.file, json_string(json, "file"));
  STITCH_ASSIGN(step.operators, json_small_int(json, "operators"));
  STITCH_ASSIGN(step.is_library, json_bool(json, "is_library"));
  STITCH_ASSIGN(step.flops, json_double(json, "flops"));
  STITCH_ASSIGN(step.bytes, json_double(json, "bytes"));
  STITCH_ASSIGN(step.modelled_us, json_double(json, "modelled_us"));
  return step;
}

Result<FrameworkFacts> framework_from(const Json& json) {
  FrameworkFacts facts;
  STITCH_ASSIGN(const std::string name, json_string(json, "class"));
  STITCH_ASSIGN(facts.hack_class, hack_class_from_string(name));
  STITCH_ASSIGN(facts.share, json_double(json, "framework_share"));
  STITCH_ASSIGN(facts.left, json_string_list(json, "left_to_framework"));
  STITCH_ASSIGN(facts.evidence, json_string(json, "evidence"));
  return facts;
}

// The member `key` read by `read`; nothing where it is missing or null.
template <typename Value>
Result<void> read_optional(const Json& json, const char* key, Result<Value> (*read)(const Json&),
                           std::optional<Value>& into) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) {
    return {};
  }
  STITCH_ASSIGN(into, read(*found));
  return {};
}

Result<Verdict> verdict_from(const Json& json) { return verdict_from_json(json); }

}  // namespace

const SourceFeature* SourceFacts::feature(const std::string& name) const {
  for (const SourceFeature& each : features) {
    if (each.name == name) {
      return &each;
    }
  }
  return nullptr;
}

Json to_json(const Facts& facts) {
  Json json = {{"schema", "stitchcuda.facts/1"},
               {"skill", facts.skill == Skill::kScratch ? "scratch" : "refinement"},
               {"candidate", facts.candidate}};
  json["verdict"] = facts.verdict.has_value() ? stitch::to_json(*facts.verdict) : Json();
  json["framework"] = nullptr;
  if (facts.framework.has_value()) {
    json["framework"] = {{"class", to_string(facts.framework->hack_class)},
                         {"framework_share", facts.framework->share},
                         {"left_to_framework", facts.framework->left},
                         {"evidence", facts.framework->evidence}};
  }
  json["launches"] = nullptr;
  if (facts.launches.has_value()) {
    add_launches(*facts.launches, json);
  }
  json["workload"] = facts.workload.has_value() ? to_json(*facts.workload) : Json();
  json["plan"] = Json::array();
  for (const PlanStepFacts& step : facts.plan) {
    json["plan"].push_back({{"file", step.file},
                            {"operators", step.operators},
                            {"is_library", step.is_library},
                            {"flops", step.flops},
                            {"bytes", step.bytes},
                            {"modelled_us", step.modelled_us}});
  }
  json["source"] = facts.source.has_value() ? to_json(*facts.source) : Json();
  json["feedback"] = facts.feedback.has_value() ? Json(*facts.feedback) : Json();
  json["before"] = facts.before.has_value() ? to_json(*facts.before) : Json();
  return json;
}

Result<Facts> facts_from_json(const Json& json) {
  Facts facts;
  STITCH_ASSIGN(const std::string skill, json_string(json, "skill"));
  if (skill != "scratch" && skill != "refinement") {
    return failure(ErrorCode::kFileInvalid, "skill is neither scratch nor refinement: " + skill);
  }
  facts.skill = skill == "scratch" ? Skill::kScratch : Skill::kRefinement;
  STITCH_ASSIGN(facts.candidate, json_string(json, "candidate"));
  STITCH_TRY(read_optional<Verdict>(json, "verdict", verdict_from, facts.verdict));
  STITCH_TRY(read_optional<FrameworkFacts>(json, "framework", framework_from, facts.framework));
  STITCH_TRY(read_optional<Workload>(json, "workload", workload_from, facts.workload));
  STITCH_TRY(read_optional<SourceFacts>(json, "source", source_from, facts.source));
  STITCH_TRY(read_optional<SourceFacts>(json, "before", source_from, facts.before));
  if (const auto found = json.find("launches"); found != json.end() && !found->is_null()) {
    STITCH_ASSIGN(facts.launches, listed_launches_from_json(json));
  }
  if (const auto found = json.find("feedback"); found != json.end() && found->is_string()) {
    facts.feedback = found->get<std::string>();
  }
  STITCH_ASSIGN(const Json* steps, json_array(json, "plan"));
  for (const Json& step : *steps) {
    STITCH_ASSIGN(PlanStepFacts read, step_from(step));
    facts.plan.push_back(std::move(read));
  }
  return facts;
}

}  // namespace stitch::rubric

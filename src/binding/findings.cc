// SPDX-License-Identifier: Apache-2.0
#include "binding/findings.h"

#include <fmt/format.h>

#include <limits>

#include "base/json/json.h"
#include "binding/arguments.h"

namespace stitch::binding {
namespace {

Result<Stage> stage_of(const Json& finding) {
  STITCH_ASSIGN(const std::string name, text_argument(finding, "stage"));
  for (int stage = 0; stage <= static_cast<int>(Stage::kTiming); ++stage) {
    if (name == to_string(static_cast<Stage>(stage))) {
      return static_cast<Stage>(stage);
    }
  }
  return not_taken("stage", fmt::format("is \"{}\", which is no stage", name));
}

Result<VerdictKind> kind_named(const std::string& name) {
  const Result<VerdictKind> kind = verdict_kind_from_string(name);
  return kind.has_value() ? kind : not_taken("kind", fmt::format("is \"{}\", which is no kind of verdict", name));
}

Result<int> number(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) {
    return 0;
  }
  const bool fits = found->is_number_integer() && found->get<int64_t>() >= 0 &&
                    found->get<int64_t>() <= std::numeric_limits<int>::max();
  return fits ? Result<int>(found->get<int>()) : not_taken(name, "is no number of draws");
}

Result<bool> flag(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) {
    return false;
  }
  return found->is_boolean() ? Result<bool>(found->get<bool>()) : not_taken(name, "is neither true nor false");
}

// A list of objects; empty where it is missing.
Result<Json> objects(const Json& object, const char* name) {
  const Json list = object.value(name, Json::array());
  if (!list.is_array()) {
    return not_taken(name, "is no list");
  }
  for (const Json& each : list) {
    if (!each.is_object()) {
      return not_taken(name, "holds something that is no object");
    }
  }
  return list;
}

Result<Json> object_in(const Json& object, const char* name) {
  const Json found = object.value(name, Json::object());
  return found.is_object() ? Result<Json>(found) : not_taken(name, "is no object");
}

Result<Finding> finding_of(const Json& json) {
  STITCH_TRY(refuse_others(json, {"stage", "kind", "reason", "evidence"}));
  Finding finding;
  STITCH_ASSIGN(finding.stage, stage_of(json));
  STITCH_ASSIGN(const std::string kind, text_argument(json, "kind"));
  STITCH_ASSIGN(finding.kind, kind_named(kind));
  STITCH_ASSIGN(finding.reason, text_argument_or(json, "reason", ""));
  STITCH_ASSIGN(finding.evidence, text_argument_or(json, "evidence", ""));
  return finding;
}

Result<verify::PlannedDraws> draws_of(const Json& json) {
  STITCH_TRY(refuse_others(json, {"shape", "planned", "judged", "told", "refusal"}));
  verify::PlannedDraws draws;
  STITCH_ASSIGN(draws.shape, text_argument(json, "shape"));
  STITCH_ASSIGN(draws.planned, number(json, "planned"));
  STITCH_ASSIGN(draws.judged, number(json, "judged"));
  STITCH_ASSIGN(draws.told, number(json, "told"));
  STITCH_ASSIGN(draws.refusal, text_argument_or(json, "refusal", ""));
  return draws;
}

Result<verify::CheckedDraws> checked_of(const Json& json) {
  STITCH_TRY(refuse_others(json, {"planned", "judged", "told", "absence"}));
  verify::CheckedDraws draws;
  STITCH_ASSIGN(draws.planned, number(json, "planned"));
  STITCH_ASSIGN(draws.judged, number(json, "judged"));
  STITCH_ASSIGN(draws.told, number(json, "told"));
  STITCH_ASSIGN(draws.absence, text_argument_or(json, "absence", ""));
  return draws;
}

Result<verify::Proof> proof_of(const Json& json) {
  STITCH_TRY(refuse_others(json, {"builds_only", "shapes", "checked"}));
  verify::Proof proof;
  STITCH_ASSIGN(proof.builds_only, flag(json, "builds_only"));
  STITCH_ASSIGN(const Json shapes, objects(json, "shapes"));
  for (const Json& each : shapes) {
    STITCH_ASSIGN(verify::PlannedDraws draws, draws_of(each));
    proof.shapes.push_back(std::move(draws));
  }
  STITCH_ASSIGN(const Json checked, object_in(json, "checked"));
  STITCH_ASSIGN(proof.checked, checked_of(checked));
  return proof;
}

Result<verify::Remark> remark_of(const Json& json) {
  STITCH_TRY(refuse_others(json, {"text", "of"}));
  verify::Remark remark;
  STITCH_ASSIGN(remark.text, text_argument(json, "text"));
  const Json kinds = json.value("of", Json::array());
  if (!kinds.is_array()) {
    return not_taken("of", "is no list");
  }
  for (const Json& each : kinds) {
    STITCH_ASSIGN(const VerdictKind kind, kind_named(each.is_string() ? each.get<std::string>() : each.dump()));
    remark.of.push_back(kind);
  }
  return remark;
}

}  // namespace

Result<verify::Findings> findings_argument(const Json& request) {
  STITCH_TRY(refuse_others(request, {"findings", "proof", "acceptance", "remarks", "sandbox"}));
  verify::Findings findings;
  STITCH_ASSIGN(const Json list, objects(request, "findings"));
  for (const Json& each : list) {
    STITCH_ASSIGN(Finding finding, finding_of(each));
    findings.add(std::move(finding));
  }
  STITCH_ASSIGN(const Json proof, object_in(request, "proof"));
  STITCH_ASSIGN(findings.proof, proof_of(proof));
  STITCH_ASSIGN(findings.acceptance, text_argument_or(request, "acceptance", ""));
  STITCH_ASSIGN(const Json remarks, objects(request, "remarks"));
  for (const Json& each : remarks) {
    STITCH_ASSIGN(verify::Remark remark, remark_of(each));
    findings.remarks.push_back(std::move(remark));
  }
  STITCH_ASSIGN(findings.sandbox, text_argument_or(request, "sandbox", ""));
  return findings;
}

}  // namespace stitch::binding

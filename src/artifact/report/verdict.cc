// SPDX-License-Identifier: Apache-2.0
#include "artifact/report/verdict.h"

#include <array>

#include "artifact/report/finding.h"
#include "base/json/json.h"

namespace stitch {
namespace {

constexpr std::array<const char*, 10> kNames = {
    "undecided", "ok",      "build_failed", "wrong",           "crashed",
    "timed_out", "cheated", "invalid_time", "ill_conditioned", "unsupported"};

constexpr std::array<const char*, 9> kStages = {"read",  "build",  "inspect",   "draws", "checked",
                                                "calls", "source", "framework", "timing"};

}  // namespace

const char* to_string(Stage stage) { return kStages[static_cast<size_t>(stage)]; }

const char* to_string(VerdictKind kind) { return kNames[static_cast<size_t>(kind)]; }

Result<VerdictKind> verdict_kind_from_string(const std::string& name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i]) {
      return static_cast<VerdictKind>(i);
    }
  }
  return failure(ErrorCode::kFileInvalid, "\"" + name + "\" is not a kind of verdict");
}

Json to_json(const Verdict& verdict) {
  Json json = {{"kind", to_string(verdict.kind)}, {"reason", verdict.reason}, {"detail", verdict.detail}};
  if (!verdict.sandbox.empty()) {
    json["sandbox"] = verdict.sandbox;
  }
  return json;
}

Result<Verdict> verdict_from_json(const Json& json) {
  Verdict verdict;
  STITCH_ASSIGN(const std::string kind, json_string(json, "kind"));
  STITCH_ASSIGN(verdict.kind, verdict_kind_from_string(kind));
  STITCH_ASSIGN(verdict.reason, json_string(json, "reason"));
  STITCH_ASSIGN(verdict.detail, json_string(json, "detail"));
  if (json.contains("sandbox")) {
    STITCH_ASSIGN(verdict.sandbox, json_string(json, "sandbox"));
  }
  return verdict;
}

}  // namespace stitch

// SPDX-License-Identifier: Apache-2.0
#include "synth/filters/task_facts.h"

#include "base/json/json.h"

namespace stitch::synth {
namespace {

Result<std::vector<OperatorWork>> work_from_json(const Json& json) {
  STITCH_ASSIGN(const Json* list, json_array(json, "costs"));
  std::vector<OperatorWork> work;
  for (const Json& each : *list) {
    if (!each.is_array() || each.size() != 3 || !each[0].is_number() || !each[1].is_number() || !each[2].is_number()) {
      return failure(ErrorCode::kInternal, "the work of an operator is no list of three numbers");
    }
    work.push_back({each[0].get<double>(), each[1].get<double>(), each[2].get<double>() != 0});
  }
  return work;
}

}  // namespace

Result<std::vector<uint64_t>> subtrees_from_json(const Json& json) {
  STITCH_ASSIGN(const Json* list, json_array(json, "subtrees"));
  std::vector<uint64_t> subtrees;
  for (const Json& each : *list) {
    if (!each.is_number_integer()) {
      return failure(ErrorCode::kFileInvalid, "a digest of a subtree is no whole number");
    }
    subtrees.push_back(each.get<uint64_t>());
  }
  return subtrees;
}

Result<TaskFacts> task_facts_from_json(const Json& json) {
  TaskFacts facts;
  STITCH_ASSIGN(facts.subtrees, subtrees_from_json(json));
  STITCH_ASSIGN(facts.failed, json_string(json, "failed"));
  if (!facts.failed.empty()) {
    return facts;
  }
  STITCH_ASSIGN(facts.signature, json_string(json, "signature"));
  STITCH_ASSIGN(const Json* names, json_array(json, "operators"));
  for (const Json& name : *names) {
    facts.operators.push_back(name.is_string() ? name.get<std::string>() : std::string());
  }
  STITCH_ASSIGN(facts.work, work_from_json(json));
  STITCH_ASSIGN(facts.largest, json_double(json, "largest"));
  STITCH_ASSIGN(facts.parameter_bytes, json_double(json, "parameter_bytes"));
  STITCH_ASSIGN(facts.draws, json_bool(json, "draws"));
  return facts;
}

}  // namespace stitch::synth

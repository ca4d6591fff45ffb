// SPDX-License-Identifier: Apache-2.0
#include "agents/state/state_json.h"

#include <fmt/format.h>

#include "agents/state/member_json.h"
#include "base/json/json.h"

namespace stitch::agents {
namespace {

constexpr const char* kSchema = "stitchcuda.state/1";

Unexpected refused(const std::string& why) {
  return failure(ErrorCode::kFileInvalid, "the state of a run cannot be taken: " + why, "state.json",
                 "begin the run again; `stitchcuda runs list` names what is left of it");
}

}  // namespace

Json to_json(const State& state) {
  Json json = {{"schema", kSchema}};
  json.update(member_json::written(state));
  return json;
}

Result<State> state_from_json(const Json& json) {
  if (!json.is_object() || json.value("schema", Json()) != kSchema) {
    return refused(fmt::format("it is not of schema {}", kSchema));
  }
  State state;
  member_json::Reader reader;
  reader.read(json, "state", state);
  const std::string problem = reader.problem().empty() ? contradiction(state) : reader.problem();
  if (!problem.empty()) {
    return refused(problem);
  }
  return state;
}

}  // namespace stitch::agents

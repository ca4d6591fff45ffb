// SPDX-License-Identifier: Apache-2.0
#include "wire/messages/call_arguments.h"

#include "base/json/json.h"

namespace stitch::wire {

Json to_json(const CallArguments& call) {
  Json json;
  json["inputs"] = to_json(call.inputs);
  json["states_in"] = to_json(call.states_in);
  json["states_out"] = to_json(call.states_out);
  json["outputs"] = to_json(call.outputs);
  json["workspace"] = to_json(std::vector<Region>{call.workspace});
  // As integers of our own sign: JSON readers disagree on those above 2^63.
  json["rng_seed"] = static_cast<int64_t>(call.rng_seed);
  json["rng_offset"] = static_cast<int64_t>(call.rng_offset);
  return json;
}

Result<CallArguments> call_arguments_from_json(const Json& json) {
  CallArguments call;
  STITCH_ASSIGN(call.inputs, tensor_arguments_from_json(json, "inputs"));
  STITCH_ASSIGN(call.states_in, tensor_arguments_from_json(json, "states_in"));
  STITCH_ASSIGN(call.states_out, tensor_arguments_from_json(json, "states_out"));
  STITCH_ASSIGN(call.outputs, tensor_arguments_from_json(json, "outputs"));
  STITCH_ASSIGN(const std::vector<Region> workspace, regions_from_json(json, "workspace"));
  if (workspace.size() != 1) {
    return failure(ErrorCode::kFileInvalid, "a call has one workspace");
  }
  call.workspace = workspace[0];
  STITCH_ASSIGN(const int64_t rng_seed, json_int(json, "rng_seed"));
  STITCH_ASSIGN(const int64_t rng_offset, json_int(json, "rng_offset"));
  call.rng_seed = static_cast<uint64_t>(rng_seed);
  call.rng_offset = static_cast<uint64_t>(rng_offset);
  return call;
}

}  // namespace stitch::wire

// SPDX-License-Identifier: Apache-2.0
#include "base/json/json.h"

#include "ir/text/printer.h"
#include "kernels/template/device_limits.h"
#include "plan/plan.h"
#include "plan/text/read_steps.h"

namespace stitch::plan {
namespace {

constexpr const char* kSchema = "stitchcuda.plan/2";
constexpr const char* kFirstSchema = "stitchcuda.plan/1";  // it knew no boundaries

Json to_json(const Setting& setting) { return {{"variant", setting.variant}, {"splits", setting.splits}}; }

Json to_json(const std::optional<double>& time_us) { return time_us.has_value() ? Json(*time_us) : Json(); }

Json to_json(const Plan& plan, const Step& step, size_t index) {
  const auto buffer_names = [&](const std::vector<int>& buffers) {
    Json names = Json::array();
    for (const int buffer : buffers) {
      names.push_back(plan.buffers[static_cast<size_t>(buffer)].name);
    }
    return names;
  };
  const auto value_name = [&](ir::NodeId node) { return plan.graph.value(plan.graph.node(node).outputs[0]).name; };
  Json nodes = Json::array();
  for (const ir::NodeId node : step.nodes) {
    nodes.push_back(value_name(node));
  }
  Json alternatives = Json::array();
  for (const Alternative& alternative : step.alternatives) {
    alternatives.push_back({{"setting", to_json(alternative.setting)},
                            {"estimated_us", alternative.estimated_us},
                            {"measured_us", to_json(alternative.measured_us)}});
  }
  Json json = {{"index", index},
               {"name", step.name},
               {"phase", step.phase == Phase::kPrepare ? "prepare" : "run"},
               {"skeleton", step.skeleton},
               {"setting", to_json(step.setting)},
               {"root", value_name(step.root)},
               {"nodes", nodes},
               {"operands", buffer_names(step.operands)},
               {"results", buffer_names(step.results)},
               {"extents", step.extents},
               {"flops", step.flops},
               {"bytes_min", step.bytes_min},
               {"modelled_us", step.modelled_us},
               {"estimated_us", step.estimated_us},
               {"measured_us", to_json(step.measured_us)},
               {"scratch_bytes", step.scratch_bytes},
               {"scratch_offset", step.scratch_offset},
               {"alternatives", alternatives}};
  if (step.kept_bytes > 0) {
    json["kept_bytes"] = step.kept_bytes;
    json["kept_offset"] = step.kept_offset;
  }
  if (step.boundary >= 0) {
    json["boundary"] = step.boundary;
  }
  if (plan.batch.has_value()) {
    json["extents_per_batch"] = step.extents_per_batch;
    json["scratch_bytes_per_batch"] = step.scratch_bytes_per_batch;
  }
  return json;
}

// The run-time batch and the graph that says what follows it, or why it stays as declared; null when nobody asked.
Json batch_json(const Plan& plan) {
  if (!plan.batch.has_value()) {
    return plan.batch_note.empty() ? Json() : Json{{"fixed_because", plan.batch_note}};
  }
  const RunTimeBatch& batch = *plan.batch;
  return {{"declared", batch.declared}, {"planned", batch.planned},         {"least", batch.minimum},
          {"greatest", batch.maximum},  {"other_batch", batch.other_batch}, {"other_graph", ir::print(batch.other)}};
}

// The first place where two JSON values differ, as a path; empty when they are equal.
std::string first_difference(const Json& a, const Json& b, const std::string& path) {
  if (a == b) {
    return {};
  }
  if (a.type() == b.type() && a.is_array() && a.size() == b.size()) {
    for (size_t i = 0; i < a.size(); ++i) {
      if (const std::string inside = first_difference(a[i], b[i], path + "[" + std::to_string(i) + "]");
          !inside.empty()) {
        return inside;
      }
    }
  }
  if (a.is_object() && b.is_object()) {
    for (const auto& [key, value] : b.items()) {
      if (!a.contains(key)) {
        return path + "." + key;
      }
      if (const std::string inside = first_difference(a[key], value, path + "." + key); !inside.empty()) {
        return inside;
      }
    }
  }
  return path;
}

// A plan less what its maker's cost model thought of it: a later version may think otherwise, and the plan still holds.
Json without_estimates(Json plan) {
  if (plan.contains("steps") && plan["steps"].is_array()) {
    for (Json& step : plan["steps"]) {
      if (step.is_object()) {
        step.erase("estimated_us");
        step.erase("measured_us");
        step.erase("alternatives");
      }
    }
  }
  return plan;
}

}  // namespace

const char* to_string(BufferKind kind) {
  switch (kind) {
    case BufferKind::kInput:
      return "input";
    case BufferKind::kParameter:
      return "parameter";
    case BufferKind::kConstant:
      return "constant";
    case BufferKind::kState:
      return "state";
    case BufferKind::kStateOut:
      return "state_out";
    case BufferKind::kOutput:
      return "output";
    case BufferKind::kArena:
      return "arena";
    case BufferKind::kPrepared:
      return "prepared";
  }
  return "";
}

Json to_json(const Plan& plan) {
  Json steps = Json::array();
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    steps.push_back(to_json(plan, plan.steps[i], i));
  }
  Json buffers = Json::array();
  for (const Buffer& buffer : plan.buffers) {
    buffers.push_back({{"name", buffer.name},
                       {"kind", to_string(buffer.kind)},
                       {"index", buffer.index},
                       {"type", ir::print(plan.graph.type(buffer.value))},
                       {"offset", buffer.offset}});
    if (buffer.whole.has_value()) {
      buffers.back()["part_of"] = plan.graph.value(*buffer.whole).name;
    }
  }
  Json json = {{"schema", kSchema},
               {"name", plan.graph.name},
               {"math", to_string(plan.math)},
               {"device", plan.device},
               {"graph", ir::print(plan.graph)},
               {"boundaries", to_json(plan.boundaries)},
               {"steps", steps},
               {"buffers", buffers},
               {"arena_bytes", plan.arena_bytes},
               {"prepared_bytes", plan.prepared_bytes},
               {"modelled_us", plan.modelled_us},
               {"batch", batch_json(plan)}};
  if (plan.host.has_value()) {
    json["host"] = {{"streams", plan.host->streams}, {"graph", plan.host->replays}};
  }
  return json;
}

// Everything but the graph, the choices and their estimates is worked out again and compared: what was altered is
// found, wherever it is.
Result<Plan> from_json(const Json& json) {
  if (!json.is_object()) {
    return failure(ErrorCode::kFileInvalid, "plan.json holds no object", "plan.json", "run `stitchcuda plan` again");
  }
  STITCH_ASSIGN(const std::string schema, json_string(json, "schema"));
  if (schema != kSchema && schema != kFirstSchema) {
    return failure(ErrorCode::kFileInvalid, "plan.json has schema " + schema + ", not " + kSchema, "plan.json",
                   "run `stitchcuda plan` again");
  }
  STITCH_ASSIGN(Plan plan, read_plan(json));
  if (schema == kSchema && is_to_be_cut(json)) {
    return plan;
  }
  Json expected = without_estimates(to_json(plan));
  if (schema == kFirstSchema) {
    expected["schema"] = schema;
    expected.erase("boundaries");
  }
  if (const std::string where = first_difference(without_estimates(json), expected, "plan"); !where.empty()) {
    return failure(ErrorCode::kFileInvalid, where + " is not what the graph and the chosen settings lead to",
                   "plan.json", "change settings through `stitchcuda plan`, not in the file");
  }
  return plan;
}

}  // namespace stitch::plan

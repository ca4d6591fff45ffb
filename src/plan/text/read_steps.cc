// SPDX-License-Identifier: Apache-2.0
#include "plan/text/read_steps.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/json/json.h"
#include "ir/text/parser.h"
#include "ir/validate/validate.h"
#include "kernels/builtin_templates.h"
#include "kernels/written/written.h"
#include "plan/batch/run_time_batch.h"
#include "plan/boundaries/fences.h"
#include "plan/partition/assemble.h"
#include "plan/partition/states.h"
#include "plan/pipeline/cut.h"

namespace stitch::plan {
namespace {

using ValuesByName = std::map<std::string, ir::ValueId>;

Result<std::vector<ir::ValueId>> values_named(const ValuesByName& values, const Json& step, const char* key) {
  STITCH_ASSIGN(const Json* names, json_array(step, key));
  std::vector<ir::ValueId> result;
  for (const Json& name : *names) {
    const auto found = name.is_string() ? values.find(name.get<std::string>()) : values.end();
    if (found == values.end()) {
      return failure(ErrorCode::kFileInvalid,
                     std::string(key) + " of a step names no value of the graph: " + name.dump(), "plan.json");
    }
    result.push_back(found->second);
  }
  return result;
}

// A group as the file has it must be whole: what its nodes use is made in it or read by it.
Result<void> check_group(const kernels::Group& group) {
  const ir::Graph& graph = *group.graph;
  for (const ir::NodeId node : group.nodes) {
    for (const ir::Operand& operand : graph.node(node).operands) {
      if (ir::is_tensor(operand)) {
        const ir::ValueId value = std::get<ir::ValueId>(operand);
        const ir::NodeId producer = graph.value(value).producer;
        if (!group.reads(value) && !(producer.is_valid() && group.contains(producer))) {
          return failure(ErrorCode::kFileInvalid, "a step uses " + graph.value(value).name + " but does not read it",
                         "plan.json");
        }
      }
    }
  }
  for (const ir::ValueId result : group.results) {
    if (!group.computes(result)) {
      return failure(ErrorCode::kFileInvalid, "a step has the result " + graph.value(result).name + " but not its node",
                     "plan.json");
    }
  }
  return {};
}

// Which boundary a step with written code says that it is.
Result<int> boundary_of(const kernels::KernelTemplate& kernel, const std::vector<Boundary>& boundaries,
                        const Json& step) {
  if (!kernels::is_written(kernel)) {
    return -1;
  }
  STITCH_ASSIGN(const int64_t boundary, json_int(step, "boundary"));
  const bool is_there = boundary >= 0 && static_cast<size_t>(boundary) < boundaries.size() &&
                        boundaries[static_cast<size_t>(boundary)].written.has_value();
  if (!is_there) {
    return failure(ErrorCode::kFileInvalid, "a step is said to be written, and no boundary has its code", "plan.json");
  }
  return static_cast<int>(boundary);
}

Result<ChosenStep> read_step(const ir::Graph& graph, const ValuesByName& values,
                             const std::vector<Boundary>& boundaries, const Json& step) {
  ChosenStep chosen;
  STITCH_ASSIGN(const std::string skeleton, json_string(step, "skeleton"));
  chosen.kernel = kernels::find_template(skeleton);
  if (chosen.kernel == nullptr) {
    return failure(ErrorCode::kFileInvalid, "no kernel skeleton is called " + skeleton, "plan.json");
  }
  STITCH_ASSIGN(chosen.boundary, boundary_of(*chosen.kernel, boundaries, step));
  STITCH_ASSIGN(const std::string phase, json_string(step, "phase"));
  chosen.phase = phase == "prepare" ? Phase::kPrepare : Phase::kRun;
  STITCH_ASSIGN(const Json* setting, json_object(step, "setting"));
  STITCH_ASSIGN(const std::string variant, json_string(*setting, "variant"));
  STITCH_ASSIGN(const int64_t splits, json_int(*setting, "splits"));
  chosen.setting = Setting{variant, splits};
  chosen.group.graph = &graph;
  STITCH_ASSIGN(const std::string root, json_string(step, "root"));
  const auto root_value = values.find(root);
  if (root_value == values.end() || !graph.value(root_value->second).producer.is_valid()) {
    return failure(ErrorCode::kFileInvalid, "the root of a step, " + root + ", is no node of the graph", "plan.json");
  }
  chosen.group.root = graph.value(root_value->second).producer;
  STITCH_ASSIGN(const std::vector<ir::ValueId> nodes, values_named(values, step, "nodes"));
  for (const ir::ValueId value : nodes) {
    chosen.group.nodes.push_back(graph.value(value).producer);
  }
  std::sort(chosen.group.nodes.begin(), chosen.group.nodes.end());
  STITCH_ASSIGN(chosen.group.operands, values_named(values, step, "operands"));
  STITCH_ASSIGN(chosen.group.results, values_named(values, step, "results"));
  const bool is_whole = chosen.group.contains(chosen.group.root) && chosen.group.nodes.front().is_valid() &&
                        !chosen.group.results.empty() &&
                        (chosen.boundary >= 0 || chosen.kernel->is_root(graph, graph.node(chosen.group.root)));
  if (!is_whole) {
    return failure(ErrorCode::kFileInvalid, "the step at " + root + " lacks its root, a node or a result", "plan.json");
  }
  STITCH_TRY(check_group(chosen.group));
  if (!chosen.kernel->store_first(chosen.group).empty()) {
    return failure(ErrorCode::kFileInvalid, "the step at " + root + " cannot read its operands as they lie",
                   "plan.json");
  }
  return chosen;
}

Result<void> read_batch(const Json& json, Plan& plan) {
  if (!json.contains("batch") || !json["batch"].is_object()) {
    return {};
  }
  const Json& batch = json["batch"];
  if (batch.contains("fixed_because")) {
    STITCH_ASSIGN(plan.batch_note, json_string(batch, "fixed_because"));
    return {};
  }
  RunTimeBatch read;
  STITCH_ASSIGN(read.declared, json_int(batch, "declared"));
  STITCH_ASSIGN(read.planned, json_int(batch, "planned"));
  STITCH_ASSIGN(read.minimum, json_int(batch, "least"));
  STITCH_ASSIGN(read.maximum, json_int(batch, "greatest"));
  STITCH_ASSIGN(read.other_batch, json_int(batch, "other_batch"));
  STITCH_ASSIGN(const std::string text, json_string(batch, "other_graph"));
  STITCH_ASSIGN(read.other, ir::parse(text, "plan.json"));
  STITCH_TRY(ir::validate(read.other));
  plan.batch = std::move(read);
  const Result<void> holds = refit_batch(plan);
  if (!holds.has_value()) {
    return failure(ErrorCode::kFileInvalid, "the run-time batch of the plan does not hold: " + holds.error().message,
                   "plan.json", "run `stitchcuda optimize` again");
  }
  return {};
}

// Steps keep to the boundaries: each that has code is a step of its nodes, and none reaches over another.
Result<void> check_boundaries(const Plan& plan) {
  STITCH_ASSIGN(const Fences fences, Fences::find(plan.graph, plan.boundaries));
  std::set<int> written;
  for (const Step& step : plan.steps) {
    const int fence = fences.of(step.root);
    bool good = step.boundary < 0 ? !fences.is_written(fence) : fence == step.boundary && written.insert(fence).second;
    for (const ir::NodeId node : step.nodes) {
      const bool is_repeated = kernels::is_view(plan.graph.node(node)) || kernels::is_generated(plan.graph.node(node));
      good = good && (is_repeated || fences.of(node) == fence);
    }
    if (step.boundary >= 0) {
      const std::set<ir::NodeId>& nodes = fences.nodes(step.boundary);
      good = good && std::includes(step.nodes.begin(), step.nodes.end(), nodes.begin(), nodes.end());
    }
    if (!good) {
      return failure(ErrorCode::kFileInvalid, "step " + step.name + " does not keep to the boundaries of the plan",
                     "plan.json", "leave the steps out: they are made by the boundaries");
    }
  }
  return {};
}

// The order is that of the steps.
Result<void> read_host(const Json& json, Plan& plan) {
  if (!json.contains("host")) {
    return {};
  }
  STITCH_ASSIGN(const Json* host, json_object(json, "host"));
  STITCH_ASSIGN(const Json* streams, json_object(*host, "streams"));
  HostPlan read;
  for (const auto& [step, stream] : streams->items()) {
    STITCH_ASSIGN(const int64_t number, json_int(*streams, step.c_str()));
    read.choices.streams[step] = static_cast<int>(std::clamp<int64_t>(number, -1, kMaxSideStreams + 1));
  }
  STITCH_ASSIGN(read.choices.replays, json_bool(*host, "graph"));
  STITCH_ASSIGN(plan, with_host(plan, read));
  return {};
}

// A plan that says where its boundaries are and leaves the rest to us.
Result<Plan> cut_as_given(const ir::Graph& graph, const Json& json, const PlanOptions& options) {
  PlanOptions without = options;
  without.boundaries.clear();
  STITCH_ASSIGN(ir::Graph plain, without_state_copies(graph));
  STITCH_ASSIGN(Plan plan, cut_graph(std::move(plain), without));
  STITCH_TRY(read_batch(json, plan));
  STITCH_ASSIGN(Plan cut, with_boundaries(plan, options.boundaries));
  STITCH_TRY(read_host(json, cut));
  return cut;
}

}  // namespace

bool is_to_be_cut(const Json& json) {
  const auto follows = {"steps", "buffers", "arena_bytes", "prepared_bytes", "modelled_us"};
  return json.contains("boundaries") &&
         std::none_of(follows.begin(), follows.end(), [&](const char* key) { return json.contains(key); });
}

Result<Plan> read_plan(const Json& json) {
  STITCH_ASSIGN(const std::string text, json_string(json, "graph"));
  STITCH_ASSIGN(const ir::Graph graph, ir::parse(text, "plan.json"));
  STITCH_TRY(ir::validate(graph));
  PlanOptions options;
  STITCH_ASSIGN(const std::string math, json_string(json, "math"));
  STITCH_ASSIGN(options.math, math_mode_from_string(math));
  STITCH_ASSIGN(const std::string device, json_string(json, "device"));
  STITCH_ASSIGN(options.limits, kernels::device_limits(device));
  if (json.contains("boundaries")) {
    STITCH_ASSIGN(options.boundaries, boundaries_from_json(json["boundaries"]));
  }
  if (is_to_be_cut(json)) {
    return cut_as_given(graph, json, options);
  }
  ValuesByName values;
  for (size_t i = 0; i < graph.values.size(); ++i) {
    values[graph.values[i].name] = ir::ValueId{static_cast<int32_t>(i)};
  }
  STITCH_ASSIGN(const Json* steps, json_array(json, "steps"));
  std::vector<ChosenStep> chosen;
  for (const Json& step : *steps) {
    STITCH_ASSIGN(ChosenStep read, read_step(graph, values, options.boundaries, step));
    chosen.push_back(std::move(read));
  }
  STITCH_ASSIGN(Plan plan, assemble(graph, chosen, options));
  STITCH_TRY(check_boundaries(plan));
  STITCH_TRY(read_batch(json, plan));
  STITCH_TRY(read_host(json, plan));
  return plan;
}

}  // namespace stitch::plan

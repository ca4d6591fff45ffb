// SPDX-License-Identifier: Apache-2.0
#include "driver/judge/step_subject.h"

#include <fmt/format.h>

#include <map>

#include "base/json/json.h"
#include "codegen/emit.h"
#include "driver/import/batch.h"
#include "ir/graph/op.h"
#include "verify/oracle/step_oracle.h"

namespace stitch::driver {
namespace {

constexpr int64_t kExtendTimeoutMs = 60'000;

std::vector<verify::StepTensor> inputs_of(const ir::Graph& graph, TensorRole role) {
  std::vector<verify::StepTensor> tensors;
  for (const ir::GraphInput& input : graph.inputs) {
    if (input.role == role) {
      tensors.push_back({{input.binding, role, graph.type(input.value)}, graph.value(input.value).name});
    }
  }
  return tensors;
}

std::vector<verify::StepTensor> outputs_of(const ir::Graph& graph) {
  std::vector<verify::StepTensor> tensors;
  for (const ir::GraphOutput& output : graph.outputs) {
    tensors.push_back(
        {{output.binding, TensorRole::kOutput, graph.type(output.value)}, graph.value(output.value).name});
  }
  return tensors;
}

Result<SourceBundle> step_bundle(Job& job, const Subject& subject, int step) {
  const plan::Plan& whole = subject.plan;
  STITCH_ASSIGN(plan::Plan planned, plan::step_plan(whole, step));
  const auto number = static_cast<size_t>(step);
  STITCH_ASSIGN(EmittedProgram alone, emit_again(job, std::move(planned), number));
  const std::string own_file = codegen::step_file_name(whole, number);
  const auto own = subject.bundle.files.find(own_file);
  if (own == subject.bundle.files.end()) {
    return failure(ErrorCode::kFileInvalid, fmt::format("{} is missing", own_file), own_file, "emit the program again");
  }
  for (auto& [path, text] : alone.bundle.files) {
    const auto found = subject.bundle.files.find(path);
    if (path.starts_with("runtime/") && found != subject.bundle.files.end()) {
      text = found->second;
    }
  }
  alone.bundle.files[codegen::step_file_name(alone.plan, 0, number)] = own->second;
  return std::move(alone.bundle);
}

// All but the step, which is as it is in the program.
std::set<std::string> emitted_of_step(const SourceBundle& alone, const Subject& subject, int step) {
  std::set<std::string> emitted;
  if (!subject.emitted.empty()) {
    emitted.insert(alone.units.begin(), alone.units.end());
    if (!subject.emitted.contains(codegen::step_file_name(subject.plan, static_cast<size_t>(step)))) {
      emitted.erase(alone.units.front());
    }
  }
  return emitted;
}

Json spec_json(const ir::Graph& graph, ir::ValueId value) {
  const TensorType& type = graph.type(value);
  return {{"name", graph.value(value).name}, {"dtype", to_string(type.dtype)}, {"shape", type.shape}};
}

Json attribute_json(const ir::Attribute& attribute) {
  return std::visit(
      [](const auto& value) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, DataType>) {
          return to_string(value);
        } else {
          return value;
        }
      },
      attribute);
}

Json node_json(const ir::Graph& graph, const ir::Node& node) {
  Json operands = Json::array();
  for (const ir::Operand& operand : node.operands) {
    if (const ir::ValueId* value = std::get_if<ir::ValueId>(&operand)) {
      operands.push_back({{"value", spec_json(graph, *value)}});
    } else if (const ir::Scalar* scalar = std::get_if<ir::Scalar>(&operand)) {
      operands.push_back({{"scalar", std::visit([](auto number) { return Json(number); }, *scalar)}});
    } else {
      operands.push_back(nullptr);
    }
  }
  Json attributes = Json::object();
  for (const auto& [name, attribute] : node.attributes) {
    attributes[name] = attribute_json(attribute);
  }
  Json results = Json::array();
  for (const ir::ValueId output : node.outputs) {
    results.push_back(spec_json(graph, output));
  }
  return {{"op", to_string(node.op)},
          {"operands", operands},
          {"attributes", attributes},
          {"results", results},
          {"place", node.location}};
}

// Asks the oracle for the values that the step reads and makes; those it lacks it makes from the plan's own nodes.
verify::NameValues names_of(Job& job, const plan::Plan& plan, int step) {
  return [&job, &plan, step](const verify::OracleProgram& whole) -> Result<verify::ValueNames> {
    Json nodes = Json::array();
    for (const ir::Node& node : plan.graph.nodes) {
      nodes.push_back(node_json(plan.graph, node));
    }
    const kernels::Group group = plan::step_group(plan, static_cast<size_t>(step));
    Json wanted = Json::array();
    for (const auto* values : {&group.operands, &group.results}) {
      for (const ir::ValueId value : *values) {
        const bool is_given = !plan.graph.value(value).producer.is_valid();
        if (!is_given) {
          wanted.push_back(spec_json(plan.graph, value));
        }
      }
    }
    const Json arguments = {{"oracle", whole.id}, {"nodes", nodes}, {"wanted", wanted}};
    STITCH_ASSIGN(const Json answer, job.ask("oracle.extend", arguments, kExtendTimeoutMs));
    STITCH_ASSIGN(const Json* names, json_object(answer, "names"));
    verify::ValueNames found;
    STITCH_ASSIGN(found.why_not, json_string(answer, "why_not"));
    for (const auto& [name, known] : names->items()) {
      found.names[name] = known.get<std::string>();
    }
    return found;
  };
}

}  // namespace

std::string renumbered_step(std::string text, int from, int to) {
  const std::string old_name = fmt::format("step_{:02}", from);
  const std::string new_name = fmt::format("step_{:02}", to);
  for (size_t at = text.find(old_name); at != std::string::npos; at = text.find(old_name, at + new_name.size())) {
    text.replace(at, old_name.size(), new_name);
  }
  return text;
}

Result<StepSubject> step_subject(Job& job, const Subject& subject, int step) {
  STITCH_ASSIGN(const ir::Graph graph, plan::step_graph(subject.plan, step));
  StepSubject alone;
  alone.shape = fmt::format("step {}, {}", step, subject.shape);
  alone.task = subject.task;
  alone.task.sizes.input_shapes = input_shapes(subject.plan.graph);  // with a run-time batch it may be run at another
  STITCH_ASSIGN(alone.bundle, step_bundle(job, subject, step));
  alone.emitted = emitted_of_step(alone.bundle, subject, step);
  alone.program = {inputs_of(graph, TensorRole::kInput), inputs_of(graph, TensorRole::kParameter), outputs_of(graph),
                   names_of(job, subject.plan, step)};
  return alone;
}

Result<std::variant<evaluate::EvaluateReport, NotAlone>> judge_step(Job& job, const toolchain::Toolchain& tools,
                                                                    const SubjectSet& set, int step,
                                                                    DeviceKind device) {
  using StepVerdict = std::variant<evaluate::EvaluateReport, NotAlone>;
  STITCH_ASSIGN(StepSubject alone, step_subject(job, set.subjects.front(), step));
  STITCH_ASSIGN(const TemporaryDirectory folder, tensor_folder());
  evaluate::EvaluateRequest request;
  request.declared.shape = std::move(alone.shape);
  request.is_outside = set.has_strange_steps && !loads_libraries(alone.bundle);
  request.declared.emitted = std::move(alone.emitted);
  request.declared.bundle = std::move(alone.bundle);
  request.declared.source = oracle_source(alone.task, device, job.options().seed, folder.path().string());
  request.math = alone.task.math;
  verify::OracleClient whole = oracle_client(job);
  verify::StepOracle oracle(whole, std::move(alone.program));
  Result<evaluate::EvaluateReport> report = evaluate_with(job, tools, std::move(request), device, oracle);
  if (report.has_value()) {
    return StepVerdict(std::move(report).value());
  }
  return oracle.why_not().empty() ? failure(report.error()) : Result<StepVerdict>(NotAlone{report.error()});
}

}  // namespace stitch::driver

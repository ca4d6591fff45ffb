// SPDX-License-Identifier: Apache-2.0
#include "cli/stages/step_subject.h"

#include <fmt/format.h>

#include <set>

#include "codegen/emit.h"
#include "verify/oracle/step_oracle.h"

namespace stitch::cli {
namespace {

std::vector<verify::StepTensor> inputs_of(const ir::Graph& graph) {
  std::vector<verify::StepTensor> tensors;
  for (const ir::GraphInput& input : graph.inputs) {
    tensors.push_back({{input.binding, TensorRole::kInput, graph.type(input.value)}, graph.value(input.value).name});
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

// The step's text as it lies in the judged program, under the number it has as a program's only step.
std::string renumbered(std::string text, int from, int to) {
  const std::string old_name = fmt::format("step_{:02}", from);
  const std::string new_name = fmt::format("step_{:02}", to);
  for (size_t at = text.find(old_name); at != std::string::npos; at = text.find(old_name, at + new_name.size())) {
    text.replace(at, old_name.size(), new_name);
  }
  return text;
}

Result<SourceBundle> step_bundle(Session& session, const Subject& subject, const ir::Graph& graph, int step) {
  const plan::Plan& whole = subject.plan;
  plan::Plan like = whole;
  like.steps = {whole.steps[static_cast<size_t>(step)]};
  STITCH_ASSIGN(EmittedProgram alone, plan_and_emit(session, graph, whole.math, &like));
  if (alone.plan.steps.size() != 1) {
    return failure(ErrorCode::kInternal, fmt::format("step {} alone makes {} steps", step, alone.plan.steps.size()));
  }
  const std::string own_file = codegen::step_file_name(whole, static_cast<size_t>(step));
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
  alone.bundle.files[codegen::step_file_name(alone.plan, 0)] = renumbered(own->second, step, 0);
  return std::move(alone.bundle);
}

// The oracle knows the values of the imported program; a rewrite may have brought in others.
Result<void> check_values_are_known(Session& session, const Task& task, const ir::Graph& graph, int step) {
  STITCH_ASSIGN(const ImportedProgram imported, import_program(session, task));
  std::set<std::string> known;
  for (const ir::Value& value : imported.graph.values) {
    known.insert(value.name);
  }
  std::vector<verify::StepTensor> tensors = inputs_of(graph);
  for (const verify::StepTensor& output : outputs_of(graph)) {
    tensors.push_back(output);
  }
  for (const verify::StepTensor& tensor : tensors) {
    if (known.count(tensor.value) == 0) {
      return failure(ErrorCode::kUsage,
                     fmt::format("step {} reads or makes {}, which a rewrite brought in: the reference has no such "
                                 "value",
                                 step, tensor.value),
                     task.file, "verify the whole program, without --step");
    }
  }
  return {};
}

}  // namespace

Result<evaluate::EvaluateReport> judge_step(Session& session, const toolchain::Toolchain& tools, const SubjectSet& set,
                                            int step, DeviceKind device) {
  const Subject& subject = set.subjects.front();
  STITCH_ASSIGN(const ir::Graph graph, plan::step_graph(subject.plan, step));
  STITCH_TRY(check_values_are_known(session, subject.task, graph, step));
  STITCH_ASSIGN(const TemporaryDirectory folder, tensor_folder());
  evaluate::EvaluateRequest request;
  request.declared.shape = fmt::format("step {}, {}", step, subject.shape);
  STITCH_ASSIGN(request.declared.bundle, step_bundle(session, subject, graph, step));
  request.declared.source = oracle_source(subject.task, device, session.line().seed, folder.path().string());
  request.math = subject.task.math;
  verify::OracleClient whole = oracle_client(session);
  verify::StepOracle oracle(whole, {inputs_of(graph), {}, outputs_of(graph)});
  return evaluate_with(session, tools, std::move(request), device, oracle);
}

}  // namespace stitch::cli

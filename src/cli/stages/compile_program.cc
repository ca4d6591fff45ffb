// SPDX-License-Identifier: Apache-2.0
#include "cli/stages/compile_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/process/child.h"
#include "codegen/emit.h"
#include "toolchain/build/build.h"

namespace stitch::cli {
namespace {

constexpr const char* kDefaultArchitecture = "sm_90a";

std::string as_text(const Diagnostic& diagnostic) {
  return fmt::format("{}:{}: {}", diagnostic.file, diagnostic.line, diagnostic.message);
}

// Every target named, else the GPU here, else the default.
std::string built_architectures(const Session& session) {
  if (!session.line().targets.empty()) {
    return fmt::format("{}", fmt::join(session.line().targets, ","));
  }
  const Result<std::string> here = gpu_architecture();
  return here.has_value() ? *here : kDefaultArchitecture;
}

}  // namespace

Result<plan::Plan> make_plan(const Session& session, const ir::Graph& graph, MathMode math,
                             plan::MeasuredTimes measured, const plan::Plan* like) {
  plan::PlanOptions options;
  options.math = math;
  options.libraries = session.line().libraries;
  options.measured = std::move(measured);
  options.like = like;
  STITCH_ASSIGN(options.limits, planned_limits(session, like));
  return plan::make_plan(graph, options);
}

Result<EmittedProgram> plan_and_emit(const Session& session, const ir::Graph& graph, MathMode math,
                                     const plan::Plan* like) {
  STITCH_ASSIGN(plan::Plan made, make_plan(session, graph, math, {}, like));
  return emit_again(session, std::move(made));
}

Result<kernels::DeviceLimits> planned_limits(const Session& session, const plan::Plan* like) {
  if (like != nullptr) {
    return kernels::device_limits(like->device);
  }
  for (const kernels::DeviceLimits& device : kernels::known_devices()) {
    if (!session.line().targets.empty() && device.architecture == session.line().targets.front()) {
      return device;
    }
  }
  return kernels::known_devices().front();
}

Result<EmittedProgram> emit_again(const Session& session, plan::Plan plan) {
  codegen::EmitOptions emit_options;
  emit_options.runtime_folder = session.resources().runtime().string();
  emit_options.architectures = session.line().targets;
  STITCH_ASSIGN(SourceBundle bundle, codegen::emit(plan, emit_options));
  return EmittedProgram{std::move(plan), std::move(bundle)};
}

Result<toolchain::Toolchain> find_compilers(const Session& session) {
  return toolchain::find_toolchain({.emulator_include = session.resources().emulator_include(), .cache = {}});
}

Result<CompileReport> build_bundle(Session& session, const toolchain::Toolchain& tools, const SourceBundle& bundle,
                                   DeviceKind device, const std::string& stage) {
  toolchain::BuildRequest request;
  request.bundle = bundle;
  request.device = device;
  if (device == DeviceKind::kCuda) {
    request.architecture = built_architectures(session);
    request.line_info = session.line().line_info;
    request.nvtx = session.line().nvtx;
  }
  if (!stage.empty()) {
    request.progress = [&](const toolchain::BuildProgress& progress) {
      session.reporter().progress(stage, fmt::format("{} {}/{}  {}{}", to_string(device), progress.done, progress.total,
                                                     progress.unit, progress.from_cache ? " (kept)" : ""));
    };
  }
  return toolchain::build(request, tools);
}

Verdict build_verdict(const CompileReport& report, DeviceKind device) {
  Verdict verdict;
  if (report.ok) {
    return verdict;
  }
  verdict.kind = VerdictKind::kBuildFailed;
  verdict.reason = fmt::format("the sources do not compile for the {} device", to_string(device));
  for (const Diagnostic& diagnostic : report.diagnostics) {
    if (diagnostic.severity == Severity::kError && verdict.detail.empty()) {
      verdict.reason += fmt::format(": {}", as_text(diagnostic));
    }
    verdict.detail += as_text(diagnostic) + "\n";
  }
  return verdict;
}

Result<std::string> gpu_architecture() {
  ChildOptions options;
  options.arguments = {"nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"};
  const Result<ChildOutput> ran = run_child(options, 30'000);
  if (!ran.has_value() || !ran->exit.ok() || ran->standard_output.find('.') == std::string::npos) {
    return failure(ErrorCode::kEnvironment, "no NVIDIA GPU was found here", "nvidia-smi",
                   "use --device emulated, or run 'stitchcuda doctor'");
  }
  const std::string& said = ran->standard_output;
  const size_t dot = said.find('.');
  const std::string number = said.substr(0, dot) + said.substr(dot + 1, said.find_first_of("\r\n", dot) - dot - 1);
  // Only from Hopper on are there instructions that belong to one architecture alone ("a").
  return fmt::format("sm_{}{}", number, number == "90" || number == "100" || number == "120" ? "a" : "");
}

}  // namespace stitch::cli

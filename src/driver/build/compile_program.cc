// SPDX-License-Identifier: Apache-2.0
#include "driver/build/compile_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/process/child.h"
#include "codegen/emit.h"
#include "sandbox/cage/cage.h"
#include "toolchain/build/build.h"
#include "toolchain/discovery/visible_gpu.h"

namespace stitch::driver {
namespace {

constexpr const char* kDefaultArchitecture = "sm_90a";
constexpr const char* kNvccStage = "nvcc";  // nothing is run of what is built there

std::string as_text(const Diagnostic& diagnostic) {
  return fmt::format("{}:{}: {}", diagnostic.file, diagnostic.line, diagnostic.message);
}

// Every target named, else the GPU here, else the default.
std::string built_architectures(const Job& job) {
  if (!job.options().targets.empty()) {
    return fmt::format("{}", fmt::join(job.options().targets, ","));
  }
  const Result<std::string> here = toolchain::gpu_architecture();
  return here.has_value() ? *here : kDefaultArchitecture;
}

// What keeps this request's candidates in, said once where that is not a whole cage.
Result<sandbox::Confinement> confine_request(Job& job) {
  STITCH_ASSIGN(sandbox::Confinement confinement, sandbox::confine_request(job.options().cage));
  if (!confinement.mark.empty()) {
    job.progress().fact("sandbox", confinement.mark);
  }
  return confinement;
}

}  // namespace

Result<plan::Plan> make_plan(const Job& job, const ir::Graph& graph, MathMode math, PlanBy by) {
  plan::PlanOptions options;
  options.math = math;
  options.libraries = job.options().libraries;
  options.measured = std::move(by.measured);
  options.form = by.form;
  options.like = by.like;
  STITCH_ASSIGN(options.limits, planned_limits(job, by.like));
  return plan::make_plan(graph, options);
}

Result<EmittedProgram> plan_and_emit(const Job& job, const ir::Graph& graph, MathMode math, const plan::Plan* like) {
  STITCH_ASSIGN(plan::Plan made, make_plan(job, graph, math, {.like = like}));
  return emit_again(job, std::move(made));
}

Result<kernels::DeviceLimits> planned_limits(const Job& job, const plan::Plan* like) {
  if (like != nullptr) {
    return kernels::device_limits(like->device);
  }
  for (const kernels::DeviceLimits& device : kernels::known_devices()) {
    if (!job.options().targets.empty() && device.architecture == job.options().targets.front()) {
      return device;
    }
  }
  return kernels::known_devices().front();
}

Result<EmittedProgram> emit_again(const Job& job, plan::Plan plan, size_t first_number) {
  codegen::EmitOptions emit_options;
  emit_options.runtime_folder = job.resources().runtime().string();
  emit_options.architectures = job.options().targets;
  emit_options.first_number = first_number;
  STITCH_ASSIGN(SourceBundle bundle, codegen::emit(plan, emit_options));
  return EmittedProgram{std::move(plan), std::move(bundle)};
}

Result<toolchain::Toolchain> find_compilers(Job& job) {
  STITCH_ASSIGN(sandbox::Confinement confinement, confine_request(job));
  Progress::Wait wait = job.progress().wait("start", "looks for compilers");
  STITCH_ASSIGN(toolchain::Toolchain tools,
                toolchain::find_toolchain({.emulator_include = job.resources().emulator_include(), .cache = {}}));
  tools.confinement = std::move(confinement);
  tools.cache_bytes = job.options().cache_bytes;
  job.use_cache(tools.cache);
  return tools;
}

Result<CompileReport> build_bundle(Job& job, const toolchain::Toolchain& tools, const SourceBundle& bundle,
                                   DeviceKind device, const std::string& stage, const toolchain::Authors& authors) {
  toolchain::BuildRequest request;
  request.bundle = bundle;
  request.authors = authors;
  request.device = device;
  request.joins_equal_steps = device != DeviceKind::kCuda || stage == kNvccStage;  // what is measured keeps its names
  if (device == DeviceKind::kCuda) {
    request.architecture = built_architectures(job);
    request.line_info = job.options().line_info;
    request.nvtx = job.options().nvtx;
  }
  if (stage.empty()) {
    return toolchain::build(request, tools);
  }
  Progress::Wait wait = job.progress().wait(stage, fmt::format("{}", to_string(device)));
  const char* compiler = device == DeviceKind::kCuda ? "nvcc" : "g++";
  const size_t total = bundle.units.size();
  size_t done = 0;
  request.compiling = [&](const std::string& unit) {
    wait.hint(fmt::format("{} {}/{}  {} on {}", to_string(device), done, total, compiler, unit));
  };
  request.progress = [&](const toolchain::BuildProgress& progress) {
    done = static_cast<size_t>(progress.done);
    job.progress().built(device, done, total);
    wait.say(fmt::format("{} {}/{}  {}{}", to_string(device), progress.done, progress.total, progress.unit,
                         progress.from_cache ? " (kept)" : ""));
  };
  STITCH_ASSIGN(CompileReport report, toolchain::build(request, tools));
  if (report.ok) {
    job.progress().fact(stage, fmt::format("{}: {} files, {} of them kept from before", to_string(device), total,
                                           report.units_from_cache));
  }
  return report;
}

Finding build_failed(const CompileReport& report, DeviceKind device) {
  Finding finding{Stage::kBuild, VerdictKind::kBuildFailed,
                  fmt::format("the sources do not compile for the {} device", to_string(device))};
  for (const Diagnostic& diagnostic : report.diagnostics) {
    if (diagnostic.severity == Severity::kError && finding.evidence.empty()) {
      finding.reason += fmt::format(": {}", as_text(diagnostic));
    }
    finding.evidence += as_text(diagnostic) + "\n";
  }
  return finding;
}

}  // namespace stitch::driver

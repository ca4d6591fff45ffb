// SPDX-License-Identifier: Apache-2.0
#include "cli/stages/compile_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include "base/process/child.h"
#include "cli/options/byte_size.h"
#include "cli/stages/enter_cage.h"
#include "codegen/emit.h"
#include "toolchain/build/build.h"
#include "toolchain/discovery/visible_gpu.h"

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
  const Result<std::string> here = toolchain::gpu_architecture();
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

Result<uint64_t> asked_cache_bytes(const CommandLine& line) {
  const char* named = std::getenv("STITCHCUDA_CACHE_SIZE");
  if (line.cache_size.empty() && (named == nullptr || *named == '\0')) {
    return toolchain::kDefaultCacheBytes;
  }
  Result<uint64_t> bytes = parse_bytes(line.cache_size.empty() ? named : line.cache_size);
  return bytes.has_value() ? std::move(bytes) : failure(with_context(bytes.error(), "STITCHCUDA_CACHE_SIZE"));
}

Result<toolchain::Toolchain> find_compilers(Session& session) {
  STITCH_TRY(enter_cage(session));
  Reporter::Wait wait = session.reporter().wait("start", "looks for compilers");
  STITCH_ASSIGN(toolchain::Toolchain tools,
                toolchain::find_toolchain({.emulator_include = session.resources().emulator_include(), .cache = {}}));
  STITCH_ASSIGN(tools.cache_bytes, asked_cache_bytes(session.line()));
  session.use_cache(tools.cache);
  return tools;
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
  if (stage.empty()) {
    return toolchain::build(request, tools);
  }
  Reporter::Wait wait = session.reporter().wait(stage, fmt::format("{}", to_string(device)));
  const char* compiler = device == DeviceKind::kCuda ? "nvcc" : "g++";
  const size_t total = bundle.units.size();
  size_t done = 0;
  request.compiling = [&](const std::string& unit) {
    wait.hint(fmt::format("{} {}/{}  {} on {}", to_string(device), done, total, compiler, unit));
  };
  request.progress = [&](const toolchain::BuildProgress& progress) {
    done = static_cast<size_t>(progress.done);
    session.run_log().count_built(to_string(device), done, total);
    wait.say(fmt::format("{} {}/{}  {}{}", to_string(device), progress.done, progress.total, progress.unit,
                         progress.from_cache ? " (kept)" : ""));
  };
  STITCH_ASSIGN(CompileReport report, toolchain::build(request, tools));
  if (report.ok) {
    session.reporter().progress(stage, fmt::format("{}: {} files, {} of them kept from before", to_string(device),
                                                   total, report.units_from_cache));
  }
  return report;
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

}  // namespace stitch::cli

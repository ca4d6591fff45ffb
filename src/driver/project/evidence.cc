// SPDX-License-Identifier: Apache-2.0
#include "driver/project/evidence.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include "base/json/json.h"

namespace stitch::driver {
namespace {

constexpr int64_t kMaxWeightsBytes = int64_t{256} << 20;
constexpr int64_t kWeightsTimeoutMs = 300'000;

Json identity(const std::optional<toolchain::Tool>& tool) { return tool.has_value() ? Json(tool->identity) : Json(); }

int64_t weight_bytes(const ir::Graph& graph) {
  int64_t bytes = 0;
  for (const ir::GraphInput& input : graph.inputs) {
    bytes += input.role == TensorRole::kInput ? 0 : graph.type(input.value).bytes();
  }
  return bytes;
}

}  // namespace

Json environment(const Job& job, const toolchain::Toolchain& tools) {
  utsname machine{};
  ::uname(&machine);
  return Json{{"schema", "stitchcuda.environment/1"},
              {"machine", fmt::format("{} {} {}", machine.sysname, machine.release, machine.machine)},
              {"python", job.resources().python.filename().string()},
              {"host_compiler", identity(tools.host_compiler)},
              {"nvcc", identity(tools.nvcc)},
              {"rewriter", identity(tools.rewriter)},
              {"emulator", tools.emulator_identity}};
}

Json seeds(uint64_t seed, const SubjectSet& set) {
  Json subjects = Json::array();
  for (const Subject& subject : set.subjects) {
    subjects.push_back({{"shape", subject.shape}, {"task", to_json(subject.task)}});
  }
  return Json{{"schema", "stitchcuda.seeds/1"}, {"seed", seed}, {"scale", set.scale}, {"subjects", subjects}};
}

Result<NvccResult> compile_with_nvcc(Job& job, const toolchain::Toolchain& tools, const SourceBundle& bundle,
                                     DeviceKind device) {
  NvccResult result;
  if (device == DeviceKind::kCuda) {
    return result;  // it is what the verdict was built with
  }
  if (job.options().skip_nvcc) {
    result.message = "not compiled for a GPU: --skip-nvcc";
    return result;
  }
  const Result<void> able = tools.supports(DeviceKind::kCuda);
  if (!able.has_value()) {
    result.message = fmt::format("not compiled for a GPU: {}", able.error().message);
    job.progress().fact("nvcc", result.message);
    return result;
  }
  const double start = job.elapsed_seconds();
  const Result<CompileReport> built = build_bundle(job, tools, bundle, DeviceKind::kCuda, "nvcc");
  if (!built.has_value() && built.error().code == ErrorCode::kEnvironment) {  // a broken nvcc is one that is missing
    result.message = fmt::format("not compiled for a GPU: {}", built.error().message);
    job.progress().fact("nvcc", result.message);
    return result;
  }
  STITCH_ASSIGN(const CompileReport report, built);
  result.seconds = job.elapsed_seconds() - start;
  if (!report.ok) {
    return failure(
        ErrorCode::kInternal,
        fmt::format("nvcc refuses sources that we emitted: {}", build_failed(report, DeviceKind::kCuda).reason),
        bundle.name, "report this program as a bug of stitchcuda");
  }
  result.message = fmt::format("nvcc took all {} files", bundle.units.size());
  return result;
}

Result<void> write_weights(Job& job, const Task& task, const ImportedProgram& imported,
                           const std::filesystem::path& path) {
  const int64_t bytes = weight_bytes(imported.graph);
  if (bytes > kMaxWeightsBytes) {
    job.progress().fact("weights", fmt::format("{} MiB are left for you to save", bytes >> 20));
    return {};
  }
  Json arguments = task.arguments();
  arguments["path"] = path.string();
  STITCH_ASSIGN(const Json ignored, job.ask("weights", arguments, kWeightsTimeoutMs));
  return {};
}

}  // namespace stitch::driver

// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/trial_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/fs/files.h"
#include "toolchain/build/compile_unit.h"
#include "toolchain/build/tool_cage.h"

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kTimeoutMs = 20'000;
constexpr int64_t kTorchTimeoutMs = 120'000;  // reading the parsed headers alone takes seconds
constexpr uintmax_t kMinFreeBytes = 4u << 20;  // what a step and its intermediate files come to
constexpr const char* kUnit = "trial.cu";
constexpr const char* kSource =
    "__global__ void stitch_trial(int* value) { *value = 1; }\n"
    "extern \"C\" int stitch_program_v1(int* value, cudaStream_t stream) {\n"
    "  stitch_trial<<<1, 1, 0, stream>>>(value);\n"
    "  return cudaGetLastError();\n"
    "}\n";

std::string remedy_of(const Target& target, const fs::path& program) {
  if (program.filename() == "stitchcuda-rewrite") {
    return "build stitchcuda again, or unpack the whole of its archive";
  }
  if (target.device == DeviceKind::kCuda) {
    return "run `make setup`, or install the CUDA toolkit 13.0 and set CUDA_HOME to its folder; `stitchcuda doctor` "
           "tells what is found";
  }
  return "install g++ 12 or newer again, or put the folder of one that works first on PATH";
}

Result<void> check(Result<ToolRun> run, const Target& target, const fs::path& program, const char* act) {
  if (!run.has_value()) {
    return failure(run.error());
  }
  if (run->ok) {
    return {};
  }
  const auto error = std::find_if(run->diagnostics.begin(), run->diagnostics.end(),
                                  [](const Diagnostic& each) { return each.severity == Severity::kError; });
  const std::string said = error == run->diagnostics.end() ? "it failed" : error->message;
  return failure(ErrorCode::kEnvironment,
                 fmt::format("{} is broken, it cannot {} even a kernel of one line: {}", program.filename().string(),
                             act, said),
                 find_program(program.string()).string(), remedy_of(target, program));
}

Result<void> check_free_space(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error || space.available >= kMinFreeBytes) {
    return {};
  }
  return failure(ErrorCode::kEnvironment,
                 fmt::format("the disk of {} is full, so nothing can be compiled there", folder.parent_path().string()),
                 folder.parent_path().string(), "free some space there, or set TMPDIR to another folder");
}

}  // namespace

Result<void> TrialBuild::build(const fs::path& folder, const Target& target, const fs::path& prelude) const {
  const sandbox::CagePolicy cage = tool_cage(tools_, target, folder, prelude);
  const ToolTime time{.limit_ms = target.torch.has_value() ? kTorchTimeoutMs : kTimeoutMs};
  STITCH_TRY(write_file(folder / "sources" / kUnit, kSource));
  fs::path sources = folder / "sources";
  if (target.device != DeviceKind::kCuda) {
    const fs::path into = folder / "rewritten";
    STITCH_TRY(check(run_tool(rewrite_command(tools_, {kUnit}, into), sources, kUnit, {}, cage, time), target,
                     tools_.rewriter->program, "rewrite"));
    sources = into;
  }
  const fs::path object = folder / "trial.o";
  const Tool& compiler = target.device == DeviceKind::kCuda ? *tools_.nvcc : *tools_.host_compiler;
  STITCH_TRY(check(run_tool(compile_command(target, tools_, sources, kUnit, object, prelude), sources, kUnit, object,
                            cage, time),
                   target, compiler.program, "compile"));
  const fs::path exports = folder / "exports.map";
  const fs::path library = folder / "trial.so";
  STITCH_TRY(write_file(exports, exports_of(target)));
  return check(run_tool(link_command(target, tools_, {{object}}, exports, library), folder, kUnit, library, cage, time),
               target, tools_.host_compiler->program, "link");
}

Result<void> TrialBuild::run(const fs::path& prelude) {
  const std::lock_guard lock(mutex_);
  if (!answer_.has_value()) {
    answer_.emplace(ask(prelude));
  }
  return *answer_;
}

Result<void> TrialBuild::ask(const fs::path& prelude) const {
  STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-build"));
  STITCH_TRY(check_free_space(folder.path()));
  Target plain_target = target_;  // without PyTorch's headers, which take longer than one waits for a trial
  plain_target.torch.reset();
  const Result<void> plain = build(folder.path(), plain_target, {});
  if (!plain.has_value()) {
    return plain;
  }
  if (!prelude.empty() && !build(folder.path(), target_, prelude).has_value()) {
    std::error_code error;
    fs::remove_all(prelude.parent_path(), error);
    return failure(ErrorCode::kEnvironment, "the parsed headers that are kept for g++ are damaged",
                   prelude.parent_path().string(),
                   error ? "build stitchcuda again" : "they were removed and will be made again: repeat the command");
  }
  return {};
}

}  // namespace stitch::toolchain

// SPDX-License-Identifier: Apache-2.0
// What is here, what is missing, what that costs, and the command that mends it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "base/parallel/for_each_parallel.h"
#include "cli/commands/commands.h"
#include "cli/doctor/examination.h"
#include "cli/doctor/role_findings.h"
#include "llm/config/config.h"

namespace stitch::cli {
namespace {

using doctor::Examination;
using doctor::Finding;

// A machine without a writable cache still has its compilers: they are looked for with another folder.
toolchain::Toolchain find_tools(const driver::Resources& resources, int64_t timeout_ms) {
  toolchain::ToolchainOptions options;
  options.emulator_include = resources.root.empty() ? std::filesystem::path() : resources.emulator_include();
  options.version_timeout_ms = timeout_ms;
  Result<toolchain::Toolchain> found = toolchain::find_toolchain(options);
  if (found.has_value()) {
    return std::move(found).value();
  }
  const Result<TemporaryDirectory> other = TemporaryDirectory::make("stitchcuda-doctor");
  if (!other.has_value()) {
    return {};
  }
  options.cache = other->path();
  found = toolchain::find_toolchain(options);
  toolchain::Toolchain tools = found.has_value() ? std::move(found).value() : toolchain::Toolchain{};
  tools.cache.clear();
  return tools;
}

// The parts look at different things, and each waits for other programs most of the time.
std::vector<Finding> examine(const Examination& examination) {
  using Part = std::vector<Finding> (*)(const Examination&);
  const std::vector<Part> parts = {doctor::python_findings,  doctor::emulator_findings, doctor::gpu_findings,
                                   doctor::machine_findings, doctor::sandbox_findings,  doctor::reading_findings,
                                   doctor::report_findings,  doctor::profiler_findings};
  std::vector<std::vector<Finding>> found(parts.size());
  const Result<void> done =
      for_each_parallel(parts.size(), static_cast<int>(parts.size()), [&](size_t part) -> Result<void> {
        found[part] = parts[part](examination);
        return {};
      });
  std::vector<Finding> all;
  for (const std::vector<Finding>& part : found) {
    all.insert(all.end(), part.begin(), part.end());
  }
  if (!done.has_value()) {
    all.push_back({"This machine", "threads", doctor::State::kMissing, done.error().message,
                   "Not everything could be looked at.", ""});
  }
  return all;
}

// What two parts found may not go together: with a GPU, references are computed on it.
void check_torch_for_gpu(std::vector<Finding>& findings) {
  const auto find = [&](const char* name) {
    return std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.name == name; });
  };
  const auto gpu = find("GPU");
  const auto torch = find("torch");
  if (gpu != findings.end() && torch != findings.end() && gpu->state == doctor::State::kHere &&
      torch->state == doctor::State::kHere && torch->what.find("built for the CPU") != std::string::npos) {
    torch->state = doctor::State::kWarning;
    torch->cost =
        "There is a GPU, but this PyTorch cannot use it: run with --device emulated, or install its CUDA build.";
  }
}

Result<int> ask_roles(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  STITCH_ASSIGN(const llm::Config config, llm::read_config(llm::config_path(line.config)));
  STITCH_ASSIGN(const llm::Team team, llm::team_named(config, line.team));
  const auto timeout_ms = static_cast<int64_t>(line.probe_seconds * 1000);
  const std::vector<Finding> findings = doctor::role_findings(config, team, timeout_ms);
  const bool able = doctor::is_able(findings);
  const Terminal terminal = find_terminal(STDOUT_FILENO, line.color);
  const char* closing = able ? "Every role of this team has a model that answers."
                             : "No run of this team begins until what is missing is mended.";
  invocation.reporter().result(
      Json{{"schema", "stitchcuda.doctor/1"}, {"able", able}, {"findings", doctor::to_json(findings)}},
      doctor::as_text(findings, terminal) + "\n" + terminal.bold(closing));
  return able ? 0 : exit_status(ErrorCode::kEnvironment);
}

}  // namespace

Result<int> run_doctor(Invocation& invocation) {
  if (invocation.line().asks_roles) {
    return ask_roles(invocation);
  }
  Examination examination;
  const Result<driver::Resources> resources = driver::find_resources();
  std::vector<Finding> findings;
  if (resources.has_value()) {
    examination.resources = *resources;
  } else {
    examination.resources.python = "python3";
    findings.push_back({"This installation", "own files", doctor::State::kMissing, resources.error().message,
                        "No verb works.", resources.error().remedy});
  }
  examination.probe_timeout_ms = static_cast<int64_t>(invocation.line().probe_seconds * 1000);
  examination.tools = find_tools(examination.resources, examination.probe_timeout_ms);
  const std::vector<Finding> examined = examine(examination);
  findings.insert(findings.end(), examined.begin(), examined.end());
  check_torch_for_gpu(findings);
  const bool able = doctor::is_able(findings);
  const std::string closing = able ? "stitchcuda can do its main job here."
                                   : "stitchcuda cannot do its main job here "
                                     "until what is missing is mended.";
  const Terminal terminal = find_terminal(STDOUT_FILENO, invocation.line().color);
  invocation.reporter().result(
      Json{{"schema", "stitchcuda.doctor/1"}, {"able", able}, {"findings", doctor::to_json(findings)}},
      doctor::as_text(findings, terminal) + "\n" + terminal.bold(closing));
  return able ? 0 : exit_status(ErrorCode::kEnvironment);
}

}  // namespace stitch::cli

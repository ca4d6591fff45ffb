// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/compile_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/fs/files.h"
#include "base/process/child.h"
#include "sandbox/limits/limits.h"
#include "toolchain/diagnostics/parse.h"
#include "toolchain/source/include_closure.h"

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kToolTimeoutMs = 15 * 60 * 1000;
constexpr size_t kLastWordsBytes = 2000;

std::string last_words(const ChildOutput& output) {
  const std::string& text = output.standard_error.empty() ? output.standard_output : output.standard_error;
  return text.substr(text.size() - std::min(text.size(), kLastWordsBytes));
}

std::string why_it_failed(const std::string& program, const ChildOutput& output) {
  const std::string name = fs::path(program).filename().string();
  if (output.exit.timed_out) {
    return fmt::format("{} took longer than {} minutes", name, kToolTimeoutMs / 60000);
  }
  if (output.exit.signal != 0) {
    return fmt::format("{} was killed by signal {}: {}", name, output.exit.signal, last_words(output));
  }
  return fmt::format("{} failed with status {}: {}", name, output.exit.exit_code, last_words(output));
}

}  // namespace

Result<ToolRun> run_tool(const std::vector<std::string>& command, const fs::path& folder, const std::string& unit) {
  ChildOptions options;
  options.arguments = command;
  options.working_directory = folder;
  options = sandbox::confine(std::move(options), sandbox::compiler_limits());
  options.environment = {{"TMPDIR", folder.string()}, {"LC_ALL", "C.UTF-8"}};
  STITCH_ASSIGN(const ChildOutput output, run_child(options, kToolTimeoutMs));
  ToolRun run{.ok = output.exit.ok()};
  run.diagnostics = parse_diagnostics(output.standard_error + output.standard_output, unit);
  const bool told = std::any_of(run.diagnostics.begin(), run.diagnostics.end(),
                                [](const Diagnostic& d) { return d.severity == Severity::kError; });
  if (!run.ok && !told) {
    run.diagnostics.push_back({Severity::kError, unit, 0, why_it_failed(command.front(), output)});
  }
  return run;
}

Result<UnitResult> compile_unit(const SourceBundle& bundle, const std::string& unit, const Target& target,
                                const Toolchain& tools, const fs::path& prelude) {
  STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-build"));
  std::set<std::string> files = include_closure(bundle, unit);
  files.insert(unit);
  for (const std::string& file : files) {
    STITCH_TRY(write_file(folder.path() / "sources" / file, bundle.files.at(file)));
  }
  UnitResult result;
  fs::path sources = folder.path() / "sources";
  if (target.device != DeviceKind::kCuda) {
    const fs::path into = folder.path() / "rewritten";
    STITCH_ASSIGN(ToolRun rewritten, run_tool(rewrite_command(tools, files, into), sources, unit));
    result.diagnostics = std::move(rewritten.diagnostics);
    if (!rewritten.ok) {
      return result;
    }
    sources = into;
  }
  const fs::path object = folder.path() / "unit.o";
  STITCH_ASSIGN(ToolRun compiled, run_tool(compile_command(target, tools, sources, unit, object, prelude), sources,
                                                  unit));
  std::move(compiled.diagnostics.begin(), compiled.diagnostics.end(), std::back_inserter(result.diagnostics));
  if (compiled.ok) {
    STITCH_ASSIGN(result.object, read_file(object));
  }
  return result;
}

}  // namespace stitch::toolchain

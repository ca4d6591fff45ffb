// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/compile_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <set>

#include "base/fs/files.h"
#include "sandbox/cage/cage.h"
#include "toolchain/build/tool_cage.h"
#include "toolchain/diagnostics/parse.h"
#include "toolchain/source/include_closure.h"

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLastWordsBytes = 2000;
constexpr std::chrono::seconds kWorthAnother{60};  // a template bomb that is ended after minutes will not do better

std::string last_words(const ChildOutput& output) {
  const std::string& text = output.standard_error.empty() ? output.standard_output : output.standard_error;
  const size_t end = text.find_last_not_of(" \n") + 1;
  return text.substr(end - std::min(end, kLastWordsBytes), std::min(end, kLastWordsBytes));
}

std::string why_it_failed(const std::string& program, const ChildOutput& output, int64_t limit_ms) {
  const std::string name = fs::path(program).filename().string();
  if (output.exit.timed_out) {
    return fmt::format("{} did not end within {} s", name, limit_ms / 1000);
  }
  if (output.exit.ok()) {
    return fmt::format("{} ended well but did not write what it should", name);
  }
  const std::string words = last_words(output);
  const std::string said = words.empty() ? "" : ": " + words;
  if (output.exit.signal != 0) {
    return fmt::format("{} was killed by signal {} ({}){}", name, output.exit.signal, strsignal(output.exit.signal),
                       said);
  }
  return fmt::format("{} failed with status {}{}", name, output.exit.exit_code, said);
}

// Objects and libraries are ELF files; of parsed headers only the compiler knows the form.
bool is_made(const fs::path& file) {
  constexpr std::string_view kElf = "\x7f" "ELF";
  std::array<char, kElf.size()> start{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(start.data(), start.size());
  return stream && (file.extension() == ".gch" || std::string_view(start.data(), start.size()) == kElf);
}

// Compilers would take such a name for an option, or for a file of options.
bool reads_as_option(const std::string& file) { return file.starts_with('-') || file.starts_with('@'); }

bool is_about_device(const Diagnostic& diagnostic) {
  return diagnostic.message.find("supported on the emulated device") != std::string::npos;
}

}  // namespace

Result<ToolRun> run_tool(const std::vector<std::string>& command, const fs::path& folder, const std::string& unit,
                         const fs::path& product, const sandbox::CagePolicy& cage, const ToolTime& time) {
  ChildOptions options;
  options.arguments = command;
  options.working_directory = folder;
  const std::string own = cage.writable.empty() ? folder.string() : cage.writable.front().string();
  options.environment = {{"TMPDIR", own}, {"HOME", own}, {"LC_ALL", "C.UTF-8"}};
  STITCH_ASSIGN(const ChildOutput output,
                sandbox::run_caged_child(options, cage, time.limit_ms, time.when_slow));
  ToolRun run{.ok = output.exit.ok() && (product.empty() || is_made(product))};
  run.diagnostics = parse_diagnostics(output.standard_error + output.standard_output, unit);
  run.said_why = std::any_of(run.diagnostics.begin(), run.diagnostics.end(),
                             [](const Diagnostic& d) { return d.severity == Severity::kError; });
  if (!run.ok && (!run.said_why || output.exit.ok())) {
    run.diagnostics.push_back({Severity::kError, unit, 0, why_it_failed(command.front(), output, time.limit_ms)});
  }
  run.said_why = run.said_why || output.exit.timed_out;
  return run;
}

Result<UnitResult> compile_unit(const SourceBundle& bundle, const std::string& unit, const Target& target,
                                const Toolchain& tools, const fs::path& prelude, const WhenSlow& when_slow) {
  STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-build"));
  std::set<std::string> files = include_closure(bundle, unit);
  files.insert(unit);
  if (const auto option = std::find_if(files.begin(), files.end(), reads_as_option); option != files.end()) {
    return UnitResult{.object = {},
                      .diagnostics = {{Severity::kError, *option, 0, "no source's name begins with - or @"}}};
  }
  for (const std::string& file : files) {
    STITCH_TRY(write_file(folder.path() / "sources" / file, bundle.files.at(file)));
  }
  const sandbox::CagePolicy cage = tool_cage(tools, target, folder.path(), prelude);
  UnitResult result;
  fs::path sources = folder.path() / "sources";
  if (target.device != DeviceKind::kCuda) {
    const fs::path into = folder.path() / "rewritten";
    STITCH_ASSIGN(ToolRun rewritten, run_tool(rewrite_command(tools, files, into), sources, unit, {}, cage,
                                              {.when_slow = when_slow}));
    result.diagnostics = std::move(rewritten.diagnostics);
    if (!rewritten.ok) {
      result.is_beyond_device = std::any_of(result.diagnostics.begin(), result.diagnostics.end(), is_about_device);
      return result;
    }
    sources = into;
  }
  const fs::path object = folder.path() / "unit.o";
  const auto compile = [&] {
    return run_tool(compile_command(target, tools, sources, unit, object, prelude), sources, unit, object, cage,
                    {.when_slow = when_slow});
  };
  const auto start = std::chrono::steady_clock::now();
  STITCH_ASSIGN(ToolRun compiled, compile());
  if (!compiled.ok && !compiled.said_why && std::chrono::steady_clock::now() - start < kWorthAnother) {
    STITCH_ASSIGN(compiled, compile());
  }
  std::move(compiled.diagnostics.begin(), compiled.diagnostics.end(), std::back_inserter(result.diagnostics));
  if (compiled.ok) {
    STITCH_ASSIGN(result.object, read_file(object));
  }
  return result;
}

}  // namespace stitch::toolchain

// SPDX-License-Identifier: Apache-2.0
#include "toolchain/reading/source_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "sandbox/cage/cage.h"
#include "toolchain/build/compile_unit.h"
#include "toolchain/build/tool_cage.h"
#include "toolchain/source/include_closure.h"

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kAskTimeoutMs = 30'000;
constexpr int64_t kReadTimeoutMs = 60'000;  // of a unit
constexpr const char* kHeader = "stitch_emulator/for_reading.h";
// Where this Python and its packages lie, a line each; it ends badly where the package is missing.
constexpr const char* kPlaces =
    "import sys, os, clang.cindex\n"
    "print('\\n'.join({os.path.realpath(p) for p in [sys.prefix, sys.base_prefix, *sys.path] if os.path.isdir(p)}))\n";
constexpr const char* kStart =
    "import sys; sys.path.insert(0, sys.argv[1]); from stitchcuda_source.__main__ import main; sys.exit(main(2))";

// Nothing where clang's interface is not installed.
Result<std::vector<fs::path>> places_of(const SourceReader& reader) {
  ChildOptions options;
  options.arguments = {reader.python.string(), "-c", kPlaces};
  options.working_directory = "/";
  STITCH_ASSIGN(const ChildOutput output, run_child(options, kAskTimeoutMs));
  std::vector<fs::path> places;
  std::istringstream lines(output.exit.ok() ? output.standard_output : "");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('/') && line != "/" && line != "/usr") {
      places.emplace_back(line);
    }
  }
  if (output.exit.ok()) {
    places.push_back(reader.python);
    places.push_back(reader.python.parent_path().parent_path());  // a virtual environment
  }
  std::erase(places, "/usr");
  std::erase(places, "/");
  return places;
}

// The sources as the emulated device compiles them: kernels are functions, and a launch is a macro.
Result<bool> lay_out(const SourceBundle& bundle, const Toolchain& tools, const fs::path& place, const fs::path& into,
                     const sandbox::CagePolicy& cage) {
  std::set<std::string> files;
  for (const std::string& unit : bundle.units) {
    files.merge(include_closure(bundle, unit));
    files.insert(unit);
  }
  const fs::path sources = place / "sources";
  for (const std::string& file : files) {
    STITCH_TRY(write_file(sources / file, bundle.files.at(file)));
  }
  std::vector<std::string> command = rewrite_command(tools, files, into);
  command.insert(command.begin() + 1, "--for-reading");
  STITCH_ASSIGN(const ToolRun run,
                run_tool(command, sources, bundle.units.front(), {}, cage, {.limit_ms = kReadTimeoutMs}));
  return run.ok;
}

// The compiler's own words, less those that say what to do with the unit.
std::vector<std::string> preprocessor_words(const Target& target, const Toolchain& tools, const fs::path& sources) {
  std::vector<std::string> words = compile_command(target, tools, sources, "unit", "object");
  const auto unit = std::find(words.begin(), words.end(), "-c");
  words.erase(unit, words.end());
  return words;
}

Result<void> read_unit(const std::string& unit, const std::vector<std::string>& command,
                       const sandbox::CagePolicy& cage, const fs::path& place, SourceReading& reading) {
  ChildOptions options;
  options.arguments = command;
  options.working_directory = "/";  // Python looks for modules there
  options.environment = {{"TMPDIR", place.string()}, {"HOME", place.string()}, {"LC_ALL", "C.UTF-8"},
                         {"PYTHONDONTWRITEBYTECODE", "1"}};
  STITCH_ASSIGN(const ChildOutput output, sandbox::run_caged_child(options, cage, kReadTimeoutMs));
  const Result<Json> answer = parse_json(output.standard_output, "what stands out in a source");
  if (!output.exit.ok() || !answer.has_value()) {
    reading.unread.push_back(fmt::format("{}: clang did not get through it", unit));
    return {};
  }
  Result<std::vector<SourceFact>> facts = source_facts_from_json(*answer, "facts");
  if (const Result<std::string> why = json_string(*answer, "unread"); why.has_value()) {
    reading.unread.push_back(fmt::format("{}: {}", unit, *why));
  } else if (facts.has_value()) {
    std::move(facts->begin(), facts->end(), std::back_inserter(reading.facts));
  }
  return {};
}

bool is_same(const SourceFact& one, const SourceFact& other) { return one.message() == other.message(); }

// Units include the same headers.
void remove_repeated(std::vector<SourceFact>& facts) {
  std::vector<SourceFact> once;
  for (SourceFact& fact : facts) {
    if (std::none_of(once.begin(), once.end(), [&](const SourceFact& each) { return is_same(each, fact); })) {
      once.push_back(std::move(fact));
    }
  }
  facts = std::move(once);
}

}  // namespace

Result<SourceReading> read_sources(const SourceBundle& bundle, const Target& target, const Toolchain& tools,
                                   const SourceReader& reader) {
  SourceReading reading;
  Target read_as = target;
  read_as.device = DeviceKind::kEmulated;
  STITCH_ASSIGN(const std::vector<fs::path> places, places_of(reader));
  if (places.empty() || bundle.units.empty() || !tools.supports(DeviceKind::kEmulated).has_value()) {
    reading.unread.emplace_back(places.empty() ? "sources were not read: Python's package libclang is not installed"
                                               : "sources were not read: there is nothing to read them with");
    return reading;
  }
  STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-read"));
  const fs::path rewritten = folder.path() / "rewritten";
  sandbox::CagePolicy cage = tool_cage(tools, read_as, folder.path());
  cage.readable.insert(cage.readable.end(), places.begin(), places.end());
  cage.readable.push_back(reader.modules);
  STITCH_ASSIGN(const bool is_laid_out, lay_out(bundle, tools, folder.path(), rewritten, cage));
  if (!is_laid_out) {
    reading.unread.emplace_back("sources were not read: the rewriter could not take them");
    return reading;
  }
  for (const std::string& unit : bundle.units) {
    std::vector<std::string> command = {reader.python.string(), "-c", kStart, reader.modules.string(), unit,
                                        rewritten.string(), (tools.emulator_include / kHeader).string()};
    const std::vector<std::string> words = preprocessor_words(read_as, tools, rewritten);
    command.insert(command.end(), words.begin(), words.end());
    if (target.device == DeviceKind::kCuda) {
      command.emplace_back("-DSTITCH_READ_FOR_GPU");
    }
    STITCH_TRY(read_unit(unit, command, cage, folder.path(), reading));
  }
  remove_repeated(reading.facts);
  return reading;
}

}  // namespace stitch::toolchain

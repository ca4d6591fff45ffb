// SPDX-License-Identifier: Apache-2.0
#include "driver/profile/replayed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "driver/build/library_folders.h"
#include "profile/reading/activity.h"
#include "profile/reading/ncu.h"
#include "profile/reading/nsys.h"
#include "profile/values/metrics.h"
#include "sandbox/cage/cage.h"
#include "toolchain/build/tool_cage.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

constexpr int kCalls = 5;
constexpr int64_t kProfileTimeoutMs = 300'000;
constexpr uint64_t kProfilerScratchBytes = uint64_t{4} << 30;

// Of a tool that lies apart from the system's programs: where it and its parts are.
void add_tool(const fs::path& tool, sandbox::CagePolicy& cage) {
  std::error_code error;
  const fs::path real = fs::canonical(tool, error);
  if (!error) {
    cage.readable.push_back(tool);
    cage.readable.push_back(real.parent_path());
    cage.readable.push_back(real.parent_path().parent_path());
  }
  for (const char* folder : {"/opt/nvidia", "/usr/local/cuda"}) {
    if (fs::exists(folder, error)) {
      cage.readable.emplace_back(folder);
    }
  }
}

struct Started {
  std::vector<std::string> words;  // before the replay's own
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<fs::path> tools;
  bool alone = false;
};

struct Replayed {
  ChildOutput output;
  profile::ReplayMarks marks;
  double row_us = 0;
};

ChildOptions options_of(const ProfiledLibrary& profiled, const Started& started, const fs::path& folder) {
  ChildOptions options;
  options.arguments = started.words;
  options.arguments.insert(options.arguments.end(),
                           {profiled.profilers.replay.string(), profiled.library, std::to_string(kCalls)});
  if (started.alone) {
    options.arguments[options.arguments.size() - 1] = "1";
    options.arguments.emplace_back("--alone");
  }
  options.working_directory = folder;
  options.environment = started.environment;
  const std::string place = folder.string();
  options.environment.insert(options.environment.end(),
                             {{"TMPDIR", place}, {"HOME", place}, {"PATH", "/usr/local/bin:/usr/bin:/bin"}});
  if (const auto folders = library_folders(profiled.job); !folders.empty()) {
    options.environment.emplace_back("LD_LIBRARY_PATH", fmt::format("{}", fmt::join(folders, ":")));
  }
  return options;
}

sandbox::CagePolicy cage_of(const ProfiledLibrary& profiled, const Started& started, const fs::path& folder) {
  sandbox::CagePolicy cage;
  cage.mode = profiled.tools.confinement.mode;
  cage.gpu = true;
  cage.may_start_programs = true;
  cage.scratch_bytes = kProfilerScratchBytes;
  cage.readable = {profiled.profilers.replay, profiled.library};
  cage.writable = {folder};
  for (const std::string& each : library_folders(profiled.job)) {
    cage.readable.emplace_back(each);
  }
  for (const fs::path& tool : started.tools) {
    add_tool(tool, cage);
  }
  cage.limits = sandbox::compiler_limits();
  cage.limits.address_space_bytes = std::nullopt;
  cage.limits.cpu_seconds = std::nullopt;
  return cage;
}

std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of("\n\r ");
  const size_t begin = end == std::string::npos ? end : text.find_last_of('\n', end);
  return end == std::string::npos ? "" : text.substr(begin + 1, end - begin);
}

// What the replay printed, among what a profiler did; empty numbers where it printed nothing.
void read_marks(const std::string& text, Replayed& replayed) {
  const size_t begin = text.find("{\"schema\": \"stitchcuda.replay/1\"");
  const size_t end = begin == std::string::npos ? begin : text.find('\n', begin);
  const Result<Json> json = parse_json(begin == std::string::npos ? "" : text.substr(begin, end - begin), "replay");
  if (!json.has_value()) {
    return;
  }
  const Result<int64_t> mark = json_int(*json, "mark_bytes");
  const Result<int64_t> row = json_int(*json, "row_bytes");
  const Result<double> row_us = json_double(*json, "row_us");
  if (mark.has_value() && row.has_value() && *mark > 0 && *row > 0 && *mark != *row) {
    replayed.marks = {static_cast<uint64_t>(*mark), static_cast<uint64_t>(*row), kCalls};
    replayed.row_us = row_us.has_value() ? *row_us : 0;
  }
}

Result<Replayed> run_replay(const ProfiledLibrary& profiled, const Started& started, const fs::path& folder) {
  STITCH_ASSIGN(ChildOutput output, sandbox::run_caged_child(options_of(profiled, started, folder),
                                                             cage_of(profiled, started, folder), kProfileTimeoutMs));
  Replayed replayed{std::move(output), {}, 0};
  if (replayed.output.exit.timed_out) {
    return failure(ErrorCode::kTimeout, fmt::format("it did not end within {} s", kProfileTimeoutMs / 1000));
  }
  read_marks(replayed.output.standard_output, replayed);
  if (replayed.marks.calls == 0 && !started.alone) {
    const std::string said = last_line(replayed.output.standard_error);
    return failure(ErrorCode::kEnvironment,
                   fmt::format("the program did not run under it: {}",
                               said.empty() ? last_line(replayed.output.standard_output) : said));
  }
  return replayed;
}

// Asked once, of the chip that is here; a release that answers nothing is asked for every metric's first name.
std::vector<std::string> metrics_here(const ProfiledLibrary& profiled, const fs::path& folder) {
  ChildOptions options;
  options.arguments = {profiled.profilers.ncu.string(), "--query-metrics"};
  options.environment = {{"TMPDIR", folder.string()}, {"HOME", folder.string()}};
  const Result<ChildOutput> answer = run_child(options, kProfileTimeoutMs);
  constexpr size_t kFewest = 50;  // any chip has hundreds
  std::vector<std::string> known;
  if (answer.has_value() && answer->exit.ok()) {
    known = profile::read_ncu_metric_names(answer->standard_output);
  }
  return profile::names_to_ask(known.size() < kFewest ? std::vector<std::string>() : known);
}

}  // namespace

Result<profile::Measurement> profile_by_ncu(const ProfiledLibrary& profiled) {
  STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-ncu"));
  const std::string log = (folder.path() / "ncu.csv").string();
  Started started;
  // Clocks are left alone: setting them needs a right that is often missing, and would change a GPU that others use.
  started.words = {profiled.profilers.ncu.string(),
                   "--csv",
                   "--page",
                   "raw",
                   "--print-units",
                   "base",
                   "--clock-control",
                   "none",
                   "--profile-from-start",
                   "off",
                   "--target-processes",
                   "all",
                   "--log-file",
                   log,
                   "--metrics",
                   fmt::format("{}", fmt::join(metrics_here(profiled, folder.path()), ","))};
  started.tools = {profiled.profilers.ncu};
  started.alone = true;
  STITCH_ASSIGN(const Replayed replayed, run_replay(profiled, started, folder.path()));
  const Result<std::string> text = read_file(log);
  if (!text.has_value()) {
    return failure(ErrorCode::kEnvironment,
                   "ncu wrote nothing: " + last_line(replayed.output.standard_output + replayed.output.standard_error),
                   "", "ncu may not start in the cage: --unsafe-no-sandbox runs it without");
  }
  STITCH_ASSIGN(const profile::NcuReading reading, profile::read_ncu(*text));
  return profile::measurement_of(reading, 1);
}

Result<profile::Measurement> profile_by_cupti(const ProfiledLibrary& profiled) {
  STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-cupti"));
  STITCH_ASSIGN(const Replayed alone, run_replay(profiled, {}, folder.path()));
  const fs::path file = folder.path() / "activity";
  Started started;
  started.environment = {{"CUDA_INJECTION64_PATH", profiled.profilers.activity.string()},
                         {"STITCHCUDA_ACTIVITY", file.string()},
                         {"STITCHCUDA_CUPTI", profiled.profilers.cupti.string()}};
  started.tools = {profiled.profilers.activity, profiled.profilers.cupti};
  STITCH_ASSIGN(const Replayed replayed, run_replay(profiled, started, folder.path()));
  const Result<std::string> text = read_file(file);
  if (!text.has_value()) {
    return failure(ErrorCode::kEnvironment, "CUPTI was not loaded into the program", profiled.profilers.cupti.string(),
                   "see whether this CUPTI is of the driver's major version");
  }
  STITCH_ASSIGN(std::vector<profile::Record> records, profile::read_activity(*text));
  STITCH_ASSIGN(profile::Measurement measured,
                profile::measurement_of(std::move(records), replayed.marks, profile::RungKind::kCupti));
  if (alone.row_us > 0) {
    measured.slowdown = replayed.row_us / alone.row_us - 1;
  }
  return measured;
}

Result<profile::Measurement> profile_by_nsys(const ProfiledLibrary& profiled) {
  STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-nsys"));
  const fs::path report = folder.path() / "report.nsys-rep";
  const fs::path exported = folder.path() / "report.sqlite";
  Started started;
  started.words = {profiled.profilers.nsys.string(),
                   "profile",
                   "--trace",
                   "cuda",
                   "--sample",
                   "none",
                   "--cpuctxsw",
                   "none",
                   "--output",
                   report.string()};
  started.tools = {profiled.profilers.nsys};
  STITCH_ASSIGN(const Replayed replayed, run_replay(profiled, started, folder.path()));
  ChildOptions options;
  options.arguments = {
      profiled.profilers.nsys.string(), "export", "--type", "sqlite", "--output", exported.string(), report.string()};
  STITCH_ASSIGN(const ChildOutput said, run_child(options, kProfileTimeoutMs));
  if (!fs::exists(exported)) {
    return failure(ErrorCode::kEnvironment, "nsys exported nothing: " + last_line(said.standard_error));
  }
  STITCH_ASSIGN(std::vector<profile::Record> records, profile::read_nsys(exported));
  return profile::measurement_of(std::move(records), replayed.marks, profile::RungKind::kNsys);
}

Result<std::vector<profile::CodeOfKernel>> read_machine_code(const ProfiledLibrary& profiled) {
  STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-code"));
  const fs::path& program = profiled.tools.cuobjdump;
  sandbox::CagePolicy cage = toolchain::tool_cage(profiled.tools, {}, folder.path());
  cage.readable.push_back(program.parent_path());
  cage.data.emplace_back(profiled.library);
  const auto dumped = [&](const char* what) -> Result<std::string> {
    ChildOptions options;
    options.arguments = {program.string(), what, profiled.library};
    options.working_directory = folder.path();
    options.environment = {{"TMPDIR", folder.path().string()}, {"PATH", program.parent_path().string()}};
    STITCH_ASSIGN(ChildOutput output, sandbox::run_caged_child(options, cage, kProfileTimeoutMs));
    if (!output.exit.ok()) {
      return failure(ErrorCode::kEnvironment,
                     fmt::format("cuobjdump {} did not read the library: {}", what, last_line(output.standard_error)));
    }
    return std::move(output.standard_output);
  };
  STITCH_ASSIGN(const std::string usage, dumped("-res-usage"));
  STITCH_ASSIGN(std::vector<profile::CodeOfKernel> kernels, profile::read_resource_usage(usage));
  STITCH_ASSIGN(const std::string instructions, dumped("-sass"));
  STITCH_TRY(profile::read_opcodes(instructions, kernels));
  return kernels;
}

}  // namespace stitch::driver

// SPDX-License-Identifier: Apache-2.0
#include "farm/work/run_job.h"

#include <fmt/format.h>

#include <csignal>

#include "base/error/error.h"
#include "base/fs/files.h"
#include "base/text/printable.h"
#include "farm/work/limited_process.h"

namespace stitch::farm {
namespace {

namespace fs = std::filesystem;

// No key of this machine's user is among them.
const std::vector<std::string>& kept_variables() {
  static const std::vector<std::string> names = {"PATH",
                                                 "HOME",
                                                 "LANG",
                                                 "LC_ALL",
                                                 "LC_CTYPE",
                                                 "TMPDIR",
                                                 "TZ",
                                                 "VIRTUAL_ENV",
                                                 "CUDA_HOME",
                                                 "CUDA_DEVICE_ORDER",
                                                 "CUDA_VISIBLE_DEVICES",
                                                 "LD_LIBRARY_PATH",
                                                 "XDG_CACHE_HOME",
                                                 "OMP_NUM_THREADS",
                                                 "OMP_WAIT_POLICY",
                                                 "NVIDIA_VISIBLE_DEVICES",
                                                 "STITCHCUDA_CACHE",
                                                 "STITCHCUDA_CACHE_SIZE",
                                                 "STITCHCUDA_LIBEXEC",
                                                 "STITCHCUDA_PYTHON",
                                                 "STITCHCUDA_EMULATOR",
                                                 "STITCHCUDA_RESOURCES",
                                                 "CUDA_PATH",
                                                 "STITCHCUDA_CUPTI",
                                                 "STITCHCUDA_UNSAFE_NO_SANDBOX",
                                                 "STITCHCUDA_NODE"};
  return names;
}

std::vector<std::string> words_of(const JobPlace& place, const Job& job, const fs::path& folder) {
  std::vector<std::string> words = {place.program.string(), job.verb};
  for (const JobWord& word : job.words) {
    if (word.kind == JobWord::Kind::kOption) {
      words.push_back(word.text);
      continue;
    }
    const fs::path path = folder / (word.kind == JobWord::Kind::kInput ? "in" : "out") / word.text;
    words.push_back(word.option.empty() ? path.string() : word.option + "=" + path.string());
  }
  words.insert(words.end(), {"--json", "--quiet"});
  return words;
}

// Paths of this machine say nothing to who asked.
std::string without(std::string text, const std::string& folder) {
  for (size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at)) {
    text.erase(at, folder.size());
  }
  return text;
}

std::string last_words(const std::string& text) {
  constexpr size_t kMax = 2000;
  return printable_lines(text.size() > kMax ? text.substr(text.size() - kMax) : text);
}

// A process that somebody else ended, or that found its machine wanting: another worker may do better.
std::string world_of(const JobResult& result) {
  if (result.timed_out || result.is_out_of_memory) {
    return "";
  }
  if (result.signal == SIGKILL || result.signal == SIGTERM) {
    return fmt::format("its process was ended by signal {} that was not ours", result.signal);
  }
  if (result.signal == 0 && result.exit_code == exit_status(ErrorCode::kEnvironment)) {
    return "the machine failed it: " + printable_line(result.last_words, 500);
  }
  return "";
}

Result<void> keep(const Artefacts& artefacts, const ProcessOutcome& outcome, const fs::path& folder, const Job& job,
                  JobResult& result) {
  const std::string prefix = folder.string() + "/";
  result.exit_code = outcome.exit.exit_code;
  result.signal = outcome.exit.signal;
  result.timed_out = outcome.exit.timed_out;
  result.is_out_of_memory = outcome.is_out_of_memory;
  result.seconds = outcome.seconds;
  result.last_words = last_words(without(outcome.standard_error, prefix));
  STITCH_ASSIGN(result.answer, artefacts.put(without(outcome.standard_output, prefix)));
  std::error_code ignored;
  if (job.returns_files() && fs::exists(folder / "out", ignored)) {
    Result<std::vector<PlacedFile>> files = artefacts.put_all(folder / "out", "");
    if (!files.has_value() && files.error().code == ErrorCode::kFileInvalid) {
      result.refusal = "what it left is " + files.error().message;  // so it would be at any worker
      return {};
    }
    STITCH_ASSIGN(result.files, std::move(files));
  }
  return {};
}

}  // namespace

Result<JobRun> run_job(const JobPlace& place, const Job& job, const std::function<bool()>& is_unwanted) {
  STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-job", place.temporary));
  JobRun run;
  const Result<void> laid_out = place.artefacts.lay_out(job.files, folder.path() / "in");
  if (!laid_out.has_value()) {
    run.world = laid_out.error().message + ": " + laid_out.error().location;
    return run;
  }
  STITCH_TRY(make_directories(folder.path() / "state"));
  STITCH_TRY(make_directories(folder.path() / "out"));
  ChildOptions options;
  options.arguments = words_of(place, job, folder.path());
  options.working_directory = folder.path();
  options.kept_environment = kept_variables();
  options.environment = {{"STITCHCUDA_STATE", (folder.path() / "state").string()}};
  if (place.visible_devices.has_value()) {
    options.environment.emplace_back("CUDA_VISIBLE_DEVICES", *place.visible_devices);
  }
  constexpr double kMilliseconds = 1000;
  ProcessLimits limits{static_cast<int64_t>(job.seconds * kMilliseconds), job.memory_bytes, is_unwanted};
  STITCH_ASSIGN(const ProcessOutcome outcome, run_limited(options, limits, place.forks));
  run.is_unwanted = outcome.is_unwanted;
  if (!run.is_unwanted) {
    STITCH_TRY(keep(place.artefacts, outcome, folder.path(), job, run.result));
    run.world = world_of(run.result);
  }
  return run;
}

}  // namespace stitch::farm

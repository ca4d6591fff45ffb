// SPDX-License-Identifier: Apache-2.0
#include "bench/run/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <thread>

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "bench/answers/audits.h"
#include "bench/answers/eval_results.h"
#include "bench/answers/find_answers.h"
#include "bench/figures/figures_text.h"
#include "bench/run/attempt.h"

namespace stitch::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKernelBenchSuite = "kernelbench";

Result<std::string> digest_of(const fs::path& file) {
  STITCH_ASSIGN(const std::string text, read_file(file));
  return sha256_hex(text);
}

Result<fs::path> folder_of_new(const BenchRequest& request, const std::string& suite) {
  if (request.out.empty()) {
    return new_run_folder(suite, std::time(nullptr));
  }
  std::error_code ignored;
  const fs::path folder = fs::absolute(request.out, ignored).lexically_normal();
  if (fs::exists(folder / "bench.json", ignored)) {
    return failure(ErrorCode::kUsage, "there is a run in this folder", folder.string(),
                   "go on with it: --resume, or name another folder");
  }
  return folder;
}

Result<fs::path> begin(const BenchRequest& request, RunSpec& spec) {
  spec = request.spec;
  SuiteRequest asked = request.suite;
  const std::string name = fs::path(asked.suite).stem().string();
  STITCH_ASSIGN(fs::path folder, folder_of_new(request, name.empty() ? "bench" : name));
  const RunFolder places(folder);
  asked.written = places.written();
  STITCH_ASSIGN(Suite suite, find_suite(asked));
  spec.suite = suite.name;
  spec.tasks = std::move(suite.tasks);
  spec.id = folder.filename().string();
  if (!spec.candidates.empty()) {
    STITCH_ASSIGN(const int samples, count_samples(spec.candidates, spec.tasks));
    spec.samples = request.counts_samples ? samples : spec.samples;
  }
  for (const SuiteTask& task : spec.tasks) {
    STITCH_ASSIGN(spec.digests[task.id], digest_of(task.file));
  }
  STITCH_TRY(write_file(places.spec(), to_json(spec).dump(1, ' ', false, Json::error_handler_t::replace) + "\n"));
  return folder;
}

// A run is about the files that it began with.
Result<void> check_files(const RunSpec& spec) {
  for (const SuiteTask& task : spec.tasks) {
    const Result<std::string> digest = digest_of(task.file);
    if (!digest.has_value() || *digest != spec.digests.at(task.id)) {
      return failure(ErrorCode::kFileInvalid,
                     fmt::format("the file of {} is {} when the run began", task.id,
                                 digest.has_value() ? "not what it was" : "no longer where it was"),
                     task.file.string(), "put it back, or begin a new run");
    }
  }
  return {};
}

Result<AttemptPlace> place_of(const RunSpec& spec, const fs::path& folder) {
  AttemptPlace place{.program = {}, .folder = RunFolder(folder), .known = {}};
  std::error_code failed;
  place.program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) {
    return failure(ErrorCode::kEnvironment, "cannot find this program's own file: " + failed.message(),
                   "/proc/self/exe", "mount /proc");
  }
  if (spec.suite == kKernelBenchSuite) {
    STITCH_ASSIGN(place.known, known_tasks());
  }
  return place;
}

// Tasks side by side share the processors, half of which are PyTorch's; 0 for one task, which shares with none.
int python_threads(int jobs) {
  constexpr int kMostThreads = 8;
  const auto processors = static_cast<int>(std::thread::hardware_concurrency());
  return jobs > 1 ? std::clamp(processors / (2 * jobs), 1, kMostThreads) : 0;
}

// Whoever asks for times needs a device; the emulated one is any processor.
Result<std::unique_ptr<farm::Asker>> asker_of(const BenchRequest& request, const RunSpec& spec, AttemptPlace& place) {
  if (request.store.empty()) {
    return std::unique_ptr<farm::Asker>();
  }
  const auto device = spec.conditions.find("device");
  const bool is_emulated = device != spec.conditions.end() && device->second == "emulated";
  place.job_class = is_emulated ? store::JobClass::kBuild : store::JobClass::kDevice;
  STITCH_ASSIGN(std::unique_ptr<farm::Asker> asker,
                farm::Asker::open({.store_url = request.store, .artefacts = request.artefacts, .run = spec.id}));
  place.asker = asker.get();
  return asker;
}

Result<BenchReport> report_of(RunSpec spec, const fs::path& folder, std::vector<TaskResult> results) {
  BenchReport report;
  report.spec = std::move(spec);
  report.folder = folder;
  report.results = std::move(results);
  STITCH_ASSIGN(const std::vector<Audit> audits, read_audits(RunFolder(folder).audits()));
  apply_audits(audits, report.results);
  STITCH_ASSIGN(report.figures, figures_of(report.results));
  STITCH_ASSIGN(const std::vector<PublishedFigure> published, published_figures());
  report.published = beside_published(published, report.spec.suite, report.figures, report.spec.conditions);
  return report;
}

}  // namespace

double BenchReport::success() const { return figures.groups.empty() ? 0 : figures.groups.front().success.value; }

Result<BenchReport> run_bench(const BenchRequest& request, const BenchEvents& events) {
  RunSpec spec;
  fs::path folder;
  if (request.resume.empty()) {
    STITCH_ASSIGN(folder, begin(request, spec));
  } else {
    STITCH_ASSIGN(folder, find_run_folder(request.resume));
    STITCH_ASSIGN(spec, RunFolder(folder).read_spec());
    STITCH_TRY(check_files(spec));
  }
  STITCH_ASSIGN(ResultsFile file, ResultsFile::open(RunFolder(folder).results()));
  STITCH_ASSIGN(AttemptPlace place, place_of(spec, folder));
  place.forks = request.forks;
  place.python_threads = python_threads(request.jobs);
  STITCH_ASSIGN(const std::unique_ptr<farm::Asker> asker, asker_of(request, spec, place));
  events.begun(spec, folder, latest_of(spec, file.known()).size());
  const FindCandidate find_candidate = [&spec](const SuiteTask& task, int sample) {
    return find_answer(spec.candidates, task, sample);
  };
  const TaskEvents per_task{[&](const SuiteTask& task, int sample) {
                              return attempt(place, spec, task, sample, find_candidate,
                                             events.task_begun(task, sample));
                            },
                            events.task_ended};
  STITCH_ASSIGN(RunEnd end, run_tasks(spec, file, request.jobs, request.budget, per_task));
  STITCH_ASSIGN(BenchReport report, report_of(std::move(spec), folder, std::move(end.results)));
  report.left = end.left;
  report.why_left = end.why_left;
  STITCH_TRY(leave_files(report));
  return report;
}

Result<BenchReport> read_run(const fs::path& folder) {
  const RunFolder places(folder);
  STITCH_ASSIGN(RunSpec spec, places.read_spec());
  STITCH_ASSIGN(const std::vector<TaskResult> all, read_results(places.results()));
  std::vector<TaskResult> results = latest_of(spec, all);
  const size_t of = spec.tasks.size() * static_cast<size_t>(spec.samples);
  const size_t left = of - std::min(of, results.size());
  STITCH_ASSIGN(BenchReport report, report_of(std::move(spec), folder, std::move(results)));
  report.left = left;
  report.why_left = left > 0 ? "the run has not ended" : "";
  return report;
}

Result<void> leave_files(const BenchReport& report) {
  const RunFolder places(report.folder);
  STITCH_TRY(write_file(places.figures(), to_json(report).dump(1, ' ', false, Json::error_handler_t::replace) + "\n"));
  if (!report.spec.candidates.empty()) {
    for (const auto& [name, text] : eval_results_of(report.results)) {
      STITCH_TRY(write_file(report.folder / name, text));
    }
  }
  return {};
}

Json to_json(const BenchReport& report) {
  Json json = {{"schema", "stitchcuda.bench_report/1"},
               {"run", report.spec.id},
               {"suite", report.spec.suite},
               {"folder", report.folder.string()},
               {"conditions", report.spec.conditions},
               {"samples", report.spec.samples},
               {"ended", report.results.size()},
               {"left", report.left},
               {"why_left", report.why_left},
               {"success", report.success()}};
  json["figures"] = to_json(report.figures);
  json["published"] = to_json(report.published);
  return json;
}

std::string describe(const BenchReport& report) {
  std::string text = describe(report.figures);
  const bool is_measured = !report.figures.groups.empty() && !report.figures.groups.front().over.empty();
  if (!report.published.empty() && !is_measured) {
    text += "\nPublished figures are of measured times, and nothing was measured here: figures.json has them\n";
  } else if (!report.published.empty()) {
    text += "\nPublished figures beside ours:\n" + describe(report.published);
  }
  if (report.left > 0) {
    text += fmt::format("\n{} of {} not begun: {}; go on with: stitchcuda bench --resume {}\n", report.left,
                        report.left + report.results.size(), report.why_left, report.spec.id);
  }
  return text + fmt::format("\n{}  ->  {}", report.spec.id, report.folder.string());
}

}  // namespace stitch::bench

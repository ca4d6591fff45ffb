// SPDX-License-Identifier: Apache-2.0
#include "harvest/harvest.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "agents/journal/journal.h"
#include "agents/run/trajectory.h"
#include "base/fs/files.h"
#include "base/fs/replace_folder.h"
#include "base/json/json.h"
#include "base/json/json_line.h"
#include "bench/run/run_spec.h"
#include "harvest/lesson.h"
#include "runs/store/run_store.h"
#include "synth/draft/draft.h"

namespace stitch::harvest {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSchema = "stitchcuda.harvest/1";
constexpr const char* kReportFile = "report.json";
constexpr const char* kSplits[] = {"train", "validation", "test"};

// The three files, in a folder that takes the place of the one asked for when all is written.
class LessonFiles {
 public:
  static Result<LessonFiles> make(const fs::path& folder) {
    LessonFiles files;
    for (const char* split : kSplits) {
      files.streams_[split].open(folder / fmt::format("{}.jsonl", split), std::ios::binary);
    }
    STITCH_TRY(files.check(folder));
    return files;
  }
  void write(const std::string& split, const Json& lesson) { streams_.at(split) << json_line(lesson); }
  Result<void> check(const fs::path& folder) {
    for (auto& [split, stream] : streams_) {
      if (!stream.flush()) {
        return failure(ErrorCode::kEnvironment, "the lessons cannot be written", folder.string(),
                       "make room on the disk");
      }
    }
    return {};
  }

 private:
  std::map<std::string, std::ofstream> streams_;
};

class Harvester {
 public:
  Harvester(const HarvestRequest& request, LessonFiles& files, Copies copies)
      : request_(request), files_(files), copies_(std::move(copies)) {}

  Result<void> take(const bench::RunFolder& folder, const bench::RunSpec& spec);
  HarvestReport report();

 private:
  Result<void> take_run(const runs::RunStore& store, const std::string& id, const LessonTask& task);
  void take_sample(const Json& sample, const LessonContext& context, const LessonTask& task);

  const HarvestRequest& request_;
  LessonFiles& files_;
  Copies copies_;
  HarvestReport report_;
  std::set<std::string> known_;
  std::set<std::string> tasks_;
};

// By the file that it was run on.
Result<std::map<fs::path, LessonTask>> tasks_of(const bench::RunSpec& spec, const Copies& copies) {
  std::map<fs::path, LessonTask> tasks;
  for (const bench::SuiteTask& task : spec.tasks) {
    if (task.family.empty()) {
      return failure(ErrorCode::kUsage,
                     fmt::format("the task {} of {} has no family, and so no split", task.id, spec.id), "",
                     "run a task list that 'stitchcuda synth' made: its lines name their families");
    }
    const fs::path file = fs::absolute(task.file).lexically_normal();
    tasks[file] = {task.id, task.family, synth::split_of(task.family), copies.found.contains(file)};
  }
  return tasks;
}

std::string sub_task_of(const Json& sample) { return sample.at("verdict").value("sub_task", ""); }

// By sub-task, of the right texts for it.
std::map<std::string, double> best_steps(const std::vector<Json>& samples) {
  std::map<std::string, double> best;
  for (const Json& sample : samples) {
    const Json judged = sample.value("verdict", Json());
    const Json us = judged.is_object() ? judged.value("step_us", Json()) : Json();
    if (us.is_number() && judged.value("outcome", "") == "right") {
      double& known = best[sub_task_of(sample)];
      known = known == 0 ? us.get<double>() : std::min(known, us.get<double>());
    }
  }
  return best;
}

Result<void> Harvester::take(const bench::RunFolder& folder, const bench::RunSpec& spec) {
  if (spec.suite == "kernelbench") {
    return failure(ErrorCode::kUsage, fmt::format("{} ran a benchmark, which others measure by", spec.id), "",
                   "take lessons from tasks that 'stitchcuda synth' made");
  }
  STITCH_ASSIGN(const auto tasks, tasks_of(spec, copies_));
  const runs::RunStore store(folder.state());
  STITCH_ASSIGN(const std::vector<runs::RunSummary> found, store.list());
  for (auto run = found.rbegin(); run != found.rend(); ++run) {  // the oldest first
    const Result<runs::RunRecord> record = store.read(run->id);
    if (!record.has_value()) {
      report_.passed_over.push_back(fmt::format("{}: {}", run->id, record.error().message));
      continue;
    }
    const auto task = tasks.find((fs::path(record->folder) / record->file).lexically_normal());
    if (task == tasks.end() || !run->agents.has_value()) {
      continue;
    }
    const Result<void> taken = take_run(store, run->id, task->second);
    if (!taken.has_value()) {
      report_.passed_over.push_back(fmt::format("{}: {}", run->id, taken.error().message));
    }
  }
  return {};
}

Result<void> Harvester::take_run(const runs::RunStore& store, const std::string& id, const LessonTask& task) {
  const fs::path folder = store.folder_of(id);
  STITCH_ASSIGN(const agents::Journal journal, agents::Journal::open_to_read(folder));
  const agents::Scoring scoring{agents::RunFolder(folder), request_.rubric};
  STITCH_ASSIGN(const std::vector<Json> samples, agents::samples(journal, id, &scoring));
  report_.runs += 1;
  std::map<std::string, double> best = best_steps(samples);
  Json before;
  for (const Json& sample : samples) {
    const std::optional<Fell> why = task.is_copy ? Fell::kCopy : fell(sample);
    if (why.has_value()) {
      report_.fallen[to_string(*why)] += 1;
      continue;
    }
    take_sample(sample, {before, best[sub_task_of(sample)]}, task);
    before = sample.at("verdict");
  }
  return files_.check(request_.out);
}

void Harvester::take_sample(const Json& sample, const LessonContext& context, const LessonTask& task) {
  const Json lesson = lesson_of(sample, context, task);
  if (!known_.insert(lesson.at("id")).second) {
    report_.fallen[to_string(Fell::kSameLesson)] += 1;
    return;
  }
  files_.write(task.split, lesson);
  tasks_.insert(task.id);
  const std::string skill = lesson.at("skill");
  const std::string outcome = lesson.at("is_slow") ? "slow" : lesson.at("verdict").value("outcome", "");
  report_.lessons[fmt::format("{} {} {}", task.split, skill, outcome)] += 1;
  auto& counted = lesson.at("is_positive") ? report_.positive : report_.negative;
  counted[fmt::format("{} {}", task.split, skill)] += 1;
}

HarvestReport Harvester::report() {
  report_.tasks = tasks_.size();
  report_.against = copies_.against;
  for (const auto& [file, accusation] : copies_.found) {
    report_.contaminated.push_back(accusation);
  }
  return std::move(report_);
}

}  // namespace

size_t HarvestReport::count() const {
  size_t all = 0;
  for (const auto& [name, number] : lessons) {
    all += number;
  }
  return all;
}

namespace {

// A folder of somebody's is not replaced.
Result<void> check_out(const fs::path& out) {
  std::error_code ignored;
  if (!fs::exists(out, ignored) || fs::is_empty(out, ignored)) {
    return {};
  }
  const Result<std::string> text = read_file(out / kReportFile);
  const Result<Json> report = text.has_value() ? parse_json(*text, kReportFile) : Result<Json>(Json());
  if (report.has_value() && report->is_object() && report->value("schema", "") == kSchema) {
    return {};
  }
  return failure(ErrorCode::kUsage, "that folder holds something else than lessons", out.string(),
                 "name a new folder with --out, or one that an earlier harvest made");
}

struct OpenBench {
  bench::RunFolder folder;
  bench::RunSpec spec;
};

Result<std::vector<OpenBench>> open_benches(const std::vector<std::string>& names) {
  std::vector<OpenBench> benches;
  for (const std::string& name : names) {
    STITCH_ASSIGN(const fs::path found, bench::find_run_folder(name));
    const bench::RunFolder folder(found);
    STITCH_ASSIGN(bench::RunSpec spec, folder.read_spec());
    benches.push_back({folder, std::move(spec)});
  }
  return benches;
}

Result<Copies> copies_in(const std::vector<OpenBench>& benches, const CopiesRequest& request,
                         const driver::Services& services) {
  if (request.against.empty()) {
    return Copies{};
  }
  std::vector<bench::SuiteTask> tasks;
  for (const OpenBench& each : benches) {
    tasks.insert(tasks.end(), each.spec.tasks.begin(), each.spec.tasks.end());
  }
  return copies_among(tasks, request, services);
}

Result<HarvestReport> harvest_into(const fs::path& fresh, const HarvestRequest& request,
                                   const driver::Services& services) {
  STITCH_ASSIGN(LessonFiles files, LessonFiles::make(fresh));
  STITCH_ASSIGN(const std::vector<OpenBench> benches, open_benches(request.benches));
  STITCH_ASSIGN(Copies copies, copies_in(benches, request.copies, services));
  Harvester harvester(request, files, std::move(copies));
  for (const OpenBench& each : benches) {
    STITCH_TRY(harvester.take(each.folder, each.spec));
  }
  HarvestReport report = harvester.report();
  if (report.runs == 0) {
    return failure(
        ErrorCode::kUsage, "no agents ran there, so there is nothing to learn from", "",
        "run the bench with agents on this machine: stitchcuda bench tasks/tasks.jsonl --model expert:faults=0.3");
  }
  STITCH_TRY(write_file(fresh / kReportFile, to_json(report).dump(1) + "\n"));
  return report;
}

}  // namespace

Result<HarvestReport> harvest(const HarvestRequest& request, const driver::Services& services) {
  STITCH_TRY(check_out(request.out));
  HarvestReport report;
  const auto fill = [&](const fs::path& fresh) -> Result<void> {
    STITCH_ASSIGN(report, harvest_into(fresh, request, services));
    return {};
  };
  STITCH_TRY(replace_folder(request.out, fill, [](const fs::path&) -> Result<void> { return {}; }));
  return report;
}

Json to_json(const HarvestReport& report) {
  Json contaminated = Json::array();
  for (const synth::Accusation& each : report.contaminated) {
    contaminated.push_back({{"task", each.task}, {"of", each.of}, {"reason", each.reason}});
  }
  return {{"schema", kSchema},           {"runs", report.runs},
          {"tasks", report.tasks},       {"lessons", report.lessons},
          {"positive", report.positive}, {"negative", report.negative},
          {"fallen", report.fallen},     {"passed_over", report.passed_over}};
}

std::string describe(const HarvestReport& report, const fs::path& out) {
  std::string text;
  for (const auto& [name, number] : report.lessons) {
    text += fmt::format("{:>8}  {}\n", number, name);
  }
  for (const auto& [name, number] : report.positive) {
    text += fmt::format("{:>8}  positive of {}\n", number, name);
  }
  for (const auto& [name, number] : report.negative) {
    text += fmt::format("{:>8}  negative of {}\n", number, name);
  }
  for (const synth::Accusation& each : report.contaminated) {
    text += fmt::format("left out: {} is a copy of {}: same {}\n", each.task, each.of, each.reason);
  }
  if (report.against > 0) {
    text +=
        fmt::format("{:>8}  tasks left out, held against {} programs\n", report.contaminated.size(), report.against);
  }
  for (const std::string& sentence : report.passed_over) {
    text += fmt::format("passed over: {}\n", sentence);
  }
  return text + fmt::format("{} lessons of {} tasks from {} runs  ->  {}", report.count(), report.tasks, report.runs,
                            out.string());
}

}  // namespace stitch::harvest

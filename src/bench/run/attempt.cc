// SPDX-License-Identifier: Apache-2.0
#include "bench/run/attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <future>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "base/process/last_will.h"
#include "base/seed/seed.h"
#include "bench/run/as_job.h"
#include "bench/run/read_answer.h"
#include "farm/work/limited_process.h"
#include "runs/record/run_record.h"

namespace stitch::bench {
namespace {

namespace fs = std::filesystem;

using Say = std::function<void(const std::string&)>;

constexpr const char* kPythonThreads = "STITCHCUDA_PYTHON_THREADS";

// What became of one verb.
struct Answer {
  Json json;  // null where `ended` says why there is none
  std::optional<Outcome> ended{};
  std::string sentence{};
  double seconds = 0;
};

std::string last_line(std::string text) {
  constexpr size_t kMaxLength = 300;
  text.resize(text.find_last_not_of(" \r\n") + 1);
  const size_t before = text.find_last_of('\n');
  const std::string line = before == std::string::npos ? text : text.substr(before + 1);
  return line.empty() ? "nothing" : line.substr(0, kMaxLength);
}

class Attempt {
 public:
  Attempt(const AttemptPlace& place, const RunSpec& spec, const SuiteTask& task, int sample, const Say& say)
      : place_(place), spec_(spec), task_(task), sample_(sample), say_(say), left_seconds_(spec.task_seconds) {}

  Result<TaskResult> run(const FindCandidate& find_candidate) {
    start_result();
    std::future<Result<Answer>> admission = begun_admission();
    const Result<void> judged = spec_.candidates.empty() ? optimize() : judge(find_candidate(task_, sample_));
    if (admission.valid()) {
      admission.wait();
    }
    STITCH_TRY(judged);
    STITCH_TRY(ask_admission(std::move(admission)));
    take_known_standing();
    result_.spent.seconds = spec_.task_seconds - left_seconds_;
    result_.ended = runs::utc_text(std::time(nullptr));
    return std::move(result_);
  }

 private:
  void start_result() {
    result_.task = task_.id;
    result_.name = task_.name;
    result_.level = task_.level;
    result_.number = task_.number;
    result_.family = task_.family;
    result_.subsets = task_.subsets;
    result_.sample = sample_;
    const auto digest = spec_.digests.find(task_.id);
    result_.digest = digest == spec_.digests.end() ? "" : digest->second;
  }

  // The same for a sample however often the run is stopped and goes on.
  std::vector<std::string> seed_arguments() const {
    const uint64_t seed = derived_seed(spec_.seed, task_.id, static_cast<uint64_t>(sample_)) & kLargestSeed;
    return {"--seed", std::to_string(seed)};
  }

  Result<void> optimize();
  Result<void> time_over(const std::string& baseline, std::vector<std::string> words);
  Result<void> judge(const fs::path& candidate);
  AskedVerb admission_words() const;
  std::future<Result<Answer>> begun_admission() const;
  Result<void> ask_admission(std::future<Result<Answer>> begun);
  void take_known_standing();
  Result<Answer> ask(const std::string& verb, std::vector<std::string> words);
  Result<Answer> ask_worker(const AskedVerb& asked, double seconds) const;
  Answer answer_of(const std::string& verb, const farm::ProcessOutcome& outcome) const;
  // False where the answer is none, which is then the result.
  bool take(const Answer& answer) {
    if (answer.ended.has_value()) {
      result_.outcome = *answer.ended;
      result_.sentence = answer.sentence;
    }
    return !answer.ended.has_value();
  }

  const AttemptPlace& place_;
  const RunSpec& spec_;
  const SuiteTask& task_;
  int sample_;
  const Say& say_;
  double left_seconds_;
  TaskResult result_;
};

Result<Answer> Attempt::ask(const std::string& verb, std::vector<std::string> words) {
  say_(verb);
  if (place_.asker != nullptr) {
    Result<Answer> answer = ask_worker({verb, std::move(words)}, left_seconds_);
    left_seconds_ -= answer.has_value() ? answer->seconds : 0;
    return answer;
  }
  ChildOptions options;
  options.arguments = {place_.program.string(), verb};
  options.arguments.insert(options.arguments.end(), words.begin(), words.end());
  options.arguments.insert(options.arguments.end(), {"--json", "--quiet"});
  options.environment = {{"STITCHCUDA_STATE", place_.folder.state().string()}};
  if (place_.python_threads > 0 && std::getenv(kPythonThreads) == nullptr) {
    options.environment.emplace_back(kPythonThreads, std::to_string(place_.python_threads));
  }
  const auto left_ms = static_cast<int64_t>(std::max(left_seconds_, 0.0) * 1000);
  STITCH_ASSIGN(const farm::ProcessOutcome outcome,
                farm::run_limited(options, {left_ms, spec_.task_bytes}, place_.forks));
  if (no_more_children()) {  // it was ended with this process, which says nothing about the task
    return failure(ErrorCode::kInterrupted, "the run was interrupted");
  }
  left_seconds_ -= outcome.seconds;
  return answer_of(verb, outcome);
}

Result<Answer> Attempt::ask_worker(const AskedVerb& asked, double seconds) const {
  STITCH_ASSIGN(farm::Job job, as_job(place_.asker->artefacts(), asked));
  constexpr double kLeastSeconds = 1;
  job.seconds = std::max(seconds, kLeastSeconds);
  job.memory_bytes = spec_.task_bytes;
  STITCH_ASSIGN(const farm::Answered answered,
                place_.asker->ask(job, place_.job_class, [] { return no_more_children(); }));
  const std::string& failed = answered.parked.empty() ? answered.result.refusal : answered.parked;
  if (!failed.empty()) {
    return Answer{.json = nullptr, .ended = Outcome::kWorld, .sentence = failed};
  }
  const Result<farm::ProcessOutcome> outcome = as_outcome(place_.asker->artefacts(), asked, answered.result);
  if (!outcome.has_value()) {  // what a worker says is not believed
    return Answer{.json = nullptr, .ended = Outcome::kWorld, .sentence = outcome.error().message};
  }
  return answer_of(asked.verb, *outcome);
}

Answer Attempt::answer_of(const std::string& verb, const farm::ProcessOutcome& outcome) const {
  Answer answer{.json = nullptr, .seconds = outcome.seconds};
  if (outcome.is_out_of_memory) {
    answer.ended = Outcome::kOutOfMemory;
    answer.sentence = fmt::format("{} took more than {} MiB of memory (--task-memory)", verb, spec_.task_bytes >> 20);
  } else if (outcome.exit.timed_out) {
    answer.ended = Outcome::kTimedOut;
    answer.sentence = fmt::format("{} had not ended after {:.0f} s (--task-seconds)", verb, spec_.task_seconds);
  } else if (outcome.exit.signal != 0) {
    answer.ended = Outcome::kCrashed;
    answer.sentence =
        fmt::format("{} was ended by signal {} ({})", verb, outcome.exit.signal, ::strsignal(outcome.exit.signal));
  } else {
    Result<Json> json = parse_json(outcome.standard_output, verb + " --json");
    if (json.has_value() && json->is_object()) {
      answer.json = std::move(json).value();
    } else {
      answer.ended = Outcome::kWorld;
      answer.sentence = fmt::format("{} ended with {} and answered nothing that can be read; it said: {}", verb,
                                    outcome.exit.exit_code, last_line(outcome.standard_error));
    }
  }
  return answer;
}

Result<void> Attempt::optimize() {
  result_.out = RunFolder::out_of(task_.id, sample_);
  const fs::path out = place_.folder.path() / result_.out;
  std::vector<std::string> words = {task_.file.string(), "--out", out.string(), "--skip-nvcc"};
  words.insert(words.end(), spec_.arguments.begin(), spec_.arguments.end());
  const std::vector<std::string> seed = seed_arguments();
  words.insert(words.end(), seed.begin(), seed.end());
  std::vector<std::string> first = words;
  if (!spec_.baselines.empty()) {
    first.insert(first.end(), {"--baseline", spec_.baselines.front()});
  }
  STITCH_ASSIGN(const Answer answer, ask("optimize", std::move(first)));
  if (!take(answer)) {
    return {};
  }
  read_optimized(answer.json, result_);
  const Result<std::string> evidence = read_file(out / "evidence" / "verify.json");
  const Result<Json> report = evidence.has_value() ? parse_json(*evidence, "verify.json") : Result<Json>(Json());
  if (report.has_value()) {
    read_others(*report, result_);
  }
  for (size_t i = 1; i < spec_.baselines.size() && result_.measured_us.has_value(); ++i) {
    STITCH_TRY(time_over(spec_.baselines[i], words));
  }
  return {};
}

// The same program beside another baseline: what it was timed for is known, so nothing is tuned again.
Result<void> Attempt::time_over(const std::string& baseline, std::vector<std::string> words) {
  words.insert(words.end(), {"--baseline", baseline, "--tune-seconds", "0"});
  STITCH_ASSIGN(const Answer answer, ask("optimize", std::move(words)));
  TaskResult other;
  if (answer.ended.has_value()) {
    other.over[baseline].refusal = answer.sentence;
  } else {
    read_optimized(answer.json, other);
  }
  const auto found = other.over.find(baseline);
  result_.over[baseline] = found == other.over.end() ? RatioResult{.refusal = other.sentence} : found->second;
  return {};
}

Result<void> Attempt::judge(const fs::path& candidate) {
  if (candidate.empty()) {
    result_.outcome = Outcome::kMissing;
    result_.sentence = "there is no answer to this task in " + spec_.candidates;
    return {};
  }
  result_.out = candidate.string();
  std::vector<std::string> words = {"--candidate", candidate.string(), "--program", task_.file.string()};
  words.insert(words.end(), spec_.arguments.begin(), spec_.arguments.end());
  const std::vector<std::string> seed = seed_arguments();
  words.insert(words.end(), seed.begin(), seed.end());
  if (!spec_.baselines.empty()) {
    words.insert(words.end(), {"--baseline", spec_.baselines.front()});
  }
  STITCH_ASSIGN(const Answer answer, ask("verify", std::move(words)));
  if (take(answer)) {
    read_judged(answer.json, result_);
  }
  return {};
}

AskedVerb Attempt::admission_words() const {
  AskedVerb asked{"admit", {task_.file.string()}};
  asked.words.insert(asked.words.end(), spec_.task_arguments.begin(), spec_.task_arguments.end());
  return asked;
}

// Workers are asked for both at once. Behind its verdict a task's admission would wait for the verdicts of all others,
// and no task would end before the last one. Nothing where workers are not asked.
std::future<Result<Answer>> Attempt::begun_admission() const {
  if (place_.asker == nullptr || !spec_.asks_admission || result_.is_standing_known) {
    return {};
  }
  return std::async(std::launch::async, [this] { return ask_worker(admission_words(), spec_.task_seconds); });
}

// What a task is worth, where nobody has said so yet. That the time is over then is no failure of the answer.
Result<void> Attempt::ask_admission(std::future<Result<Answer>> begun) {
  const bool has_verdict = result_.outcome == Outcome::kOk || result_.outcome == Outcome::kVerdict;
  if (!spec_.asks_admission || result_.is_standing_known || !has_verdict || !(left_seconds_ > 1)) {
    return {};
  }
  AskedVerb asked = admission_words();
  const bool is_begun = begun.valid();
  STITCH_ASSIGN(const Answer answer, is_begun ? begun.get() : ask(asked.verb, std::move(asked.words)));
  left_seconds_ -= is_begun ? answer.seconds : 0;
  if (answer.json.is_object() && answer.json.contains("admission")) {
    read_admission(answer.json["admission"], result_);
  } else {
    result_.standing_reason = answer.ended.has_value() ? "not known: " + answer.sentence : "not known: no answer";
  }
  return {};
}

// What was found out here goes before what is known of the task's text.
void Attempt::take_known_standing() {
  const auto known = place_.known.standings.find(task_.key());
  if (result_.standing == Standing::kSound && known != place_.known.standings.end()) {
    result_.standing = known->second.standing;
    result_.standing_reason = known->second.why;
    result_.is_standing_known = true;
  }
}

}  // namespace

Result<TaskResult> attempt(const AttemptPlace& place, const RunSpec& spec, const SuiteTask& task, int sample,
                           const FindCandidate& find_candidate, const Say& say) {
  return Attempt(place, spec, task, sample, say).run(find_candidate);
}

}  // namespace stitch::bench

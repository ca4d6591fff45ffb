// SPDX-License-Identifier: Apache-2.0
#include "train/offline/gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <set>
#include <system_error>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "train/checkpoint/run_folder.h"
#include "train/reinforce/open_drawer.h"
#include "train/rollout/costs.h"

namespace stitch::train {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "rollouts";
constexpr const char* kOwner = "drawn_from.json";

// N of step-N.jsonl.
std::optional<int64_t> number_of(const fs::path& file) {
  const std::string name = file.stem().string();
  constexpr std::string_view kPrefix = "step-";
  int64_t number = 0;
  if (file.extension() != ".jsonl" || !name.starts_with(kPrefix)) {
    return std::nullopt;
  }
  const char* end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + kPrefix.size(), end, number);
  return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

// The files that one entry of "rollouts" names.
Result<std::vector<fs::path>> files_of(const fs::path& entry) {
  std::error_code error;
  if (!fs::is_directory(entry, error)) {
    return std::vector<fs::path>{entry};
  }
  std::map<int64_t, fs::path> numbered;
  for (const auto& file : fs::directory_iterator(entry, error)) {
    if (const auto number = number_of(file.path()); number.has_value()) {
      numbered[*number] = file.path();
    }
  }
  if (numbered.empty()) {
    return failure(ErrorCode::kFileInvalid, "the folder has no step-N.jsonl", entry.string(),
                   "name the folder 'rollouts' of a run that drew answers");
  }
  std::vector<fs::path> files;
  for (const auto& [number, file] : numbered) {
    files.push_back(file);
  }
  return files;
}

// Sums of a record's numbers, of one skill or of all.
struct Sums {
  int64_t samples = 0, judged = 0, pass = 0, hack = 0, truncated = 0, turns = 0, tokens = 0;
  double reward = 0;

  void add(const RolloutRecord& record) {
    ++samples;
    truncated += record.is_truncated ? 1 : 0;
    turns += record.turns;
    tokens += learned_tokens(record.record);
    if (record.reward.has_value()) {
      ++judged;
      reward += *record.reward;
      pass += record.is_pass ? 1 : 0;
      hack += record.is_hack ? 1 : 0;
    }
  }
  static Json ratio(double part, int64_t whole) { return whole > 0 ? Json(part / static_cast<double>(whole)) : Json(); }
  Json json() const {
    return {{"samples", samples},
            {"reward", ratio(reward, judged)},
            {"pass", ratio(static_cast<double>(pass), judged)},
            {"hack", ratio(static_cast<double>(hack), judged)}};
  }
};

}  // namespace

void read_gather_settings(Section& section, GatherSettings& settings, const LoopSettings& loop) {
  constexpr int64_t kMaxCount = int64_t{1} << 24;
  if (section.has("data")) {
    Section data = section.child("data");
    data.require("rollouts");
    data.read("rollouts", settings.rollouts);
    data.read("max_tokens", settings.max_tokens, 2, kMaxCount);
    if (settings.rollouts.empty()) {
      data.refuse("rollouts", "names no file");
    }
    section.add(std::move(data));
    if (section.has("prompts")) {
      section.refuse("prompts", "and 'data' are both there: learn from answers of an earlier run, or draw new ones");
    }
    return;
  }
  read_source_settings(section, settings.source.emplace());
  if (!settings.source->prompts.held_out.empty()) {
    section.refuse("prompts", "has 'held_out', which nobody asks here: a later stage of grpo or ppo does");
  }
  refuse_server_without_adapter(section, *settings.source, loop);
  Section draw = section.child("draw");
  draw.read("samples", settings.samples, 1, kMaxCount);
  draw.read("prompts", settings.prompts, 1, kMaxCount);
  section.add(std::move(draw));
}

Result<Gatherer> Gatherer::open(GatherSettings& settings, const LoopSettings& loop) {
  Gatherer gatherer(settings, loop);
  if (settings.source.has_value()) {
    STITCH_ASSIGN(PromptSource source, open_source(*settings.source, loop));
    gatherer.source_ = std::make_unique<PromptSource>(std::move(source));
    return gatherer;
  }
  STITCH_ASSIGN(const weights::ModelConfig model, model_config_of(loop.model, loop.base));
  std::vector<fs::path> files;
  for (const std::string& entry : settings.rollouts) {
    STITCH_ASSIGN(const auto found, files_of(loop.resolve(entry)));
    files.insert(files.end(), found.begin(), found.end());
  }
  const int64_t most = std::min(settings.max_tokens, model.max_positions);
  STITCH_ASSIGN(gatherer.read_, read_all_rollouts(files, model.vocab_size, most));
  return gatherer;
}

Json Gatherer::inputs() const { return source_ != nullptr ? source_->inputs() : Json{{"rollouts", read_.sha256}}; }

Json Gatherer::counts() const { return source_ != nullptr ? source_->counts() : Json(); }

int64_t Gatherer::parts() const {
  const auto prompts = static_cast<int64_t>(source_->train.prompts.size());
  return (prompts + settings_->prompts - 1) / settings_->prompts;
}

fs::path Gatherer::part(int64_t number) const {
  return loop_->resolve(loop_->run) / kFolder / fmt::format("step-{}.jsonl", number + 1);
}

bool Gatherer::is_drawn() const {
  std::error_code error;
  for (int64_t number = 0; source_ != nullptr && number < parts(); ++number) {
    if (!fs::exists(part(number), error)) {
      return false;
    }
  }
  return true;
}

// The files are whole or not there, but of other prompts they would be another run's.
Result<void> Gatherer::claim_folder() const {
  const fs::path owner = loop_->resolve(loop_->run) / kFolder / kOwner;
  const std::string text = inputs().dump(2) + "\n";
  std::error_code error;
  if (!fs::exists(owner, error)) {
    return write_file(owner, text);
  }
  STITCH_ASSIGN(const std::string before, read_file(owner));
  return before == text
             ? Result<void>()
             : Result<void>(failure(ErrorCode::kUsage, "the run has answers to other prompts", owner.string(),
                                    "name another folder for 'run', or give it the prompts that it had"));
}

Result<void> Gatherer::draw(const Decoder& policy, int64_t number, const std::string& purpose) {
  if (source_->drawer == nullptr) {
    const ServerSettings& server = settings_->source->rollout.server;
    STITCH_ASSIGN(source_->drawer, open_drawer(server, *source_, *loop_, policy));
  }
  const auto& all = source_->train.prompts;
  std::vector<const Prompt*> prompts;
  const auto first = static_cast<size_t>(number * settings_->prompts);
  for (size_t i = first; i < std::min(all.size(), first + static_cast<size_t>(settings_->prompts)); ++i) {
    prompts.push_back(&all[i]);
  }
  const RolloutPlace place{.run = fs::path(loop_->run).filename().string(),
                           .purpose = purpose,
                           .seed = static_cast<uint64_t>(loop_->seed),
                           .step = 0};
  double seconds = 0;
  double evaluation = 0;
  std::vector<RolloutGroup> groups;
  {
    const Timed timed(seconds);
    TimedEvaluator evaluator(*source_->evaluator, evaluation);
    STITCH_ASSIGN(groups, roll_out(policy, source_->reader, prompts, settings_->samples, settings_->source->rollout,
                                   place, evaluator, source_->drawer.get()));
  }
  const std::string name = fmt::format("part {} of {}", number + 1, parts());
  STITCH_TRY(check_judged(groups, settings_->source->evaluator.most_unjudged, name, loop_->run));
  STITCH_TRY(write_file(part(number), rollout_lines(groups, 0)));
  int64_t passed = 0;
  int64_t drawn = 0;
  int64_t tokens = 0;
  for (const RolloutGroup& group : groups) {
    for (const RolloutSample& sample : group.samples) {
      ++drawn;
      passed += sample.judgement().is_pass ? 1 : 0;
      tokens += learned_tokens(sample.record);
    }
  }
  std::fprintf(stderr, "%s: drew %s, %lld of %lld answers pass\n", purpose.c_str(), name.c_str(),
               static_cast<long long>(passed), static_cast<long long>(drawn));
  const Json line = {{"part", number + 1},
                     {"seconds", {{"rollout", seconds - evaluation}, {"evaluation", evaluation}}},
                     {"tokens", tokens}};
  const auto written = append_line(loop_->resolve(loop_->run) / "costs.jsonl", line.dump());
  return written.has_value() ? Result<void>() : Result<void>(failure(written.error()));
}

Result<RolloutFile> Gatherer::gather(const Decoder* policy, const std::string& purpose) {
  if (source_ == nullptr) {
    return std::move(read_);
  }
  STITCH_TRY(claim_folder());
  std::vector<fs::path> files;
  for (int64_t number = 0; number < parts(); ++number) {
    files.push_back(part(number));
    std::error_code error;
    if (fs::exists(files.back(), error)) {
      continue;
    }
    if (policy == nullptr) {
      return failure(ErrorCode::kFileInvalid, "the run learned from answers that are no longer there",
                     files.back().string(), "put the file back, or begin a new run");
    }
    STITCH_TRY(draw(*policy, number, purpose));
  }
  STITCH_ASSIGN(const weights::ModelConfig model, model_config_of(loop_->model, loop_->base));
  return read_all_rollouts(files, model.vocab_size, model.max_positions);
}

Json gathered_metrics(const RolloutFile& file) {
  Sums all;
  std::map<std::string, Sums> skills;
  for (const RolloutRecord& record : file.records) {
    all.add(record);
    skills[record.skill].add(record);
  }
  const auto share = [&](int64_t part) { return Sums::ratio(static_cast<double>(part), all.samples); };
  Json metrics = all.json();
  const std::vector<size_t> prompts = prompt_numbers(file);
  metrics["prompts"] = std::set<size_t>(prompts.begin(), prompts.end()).size();
  metrics["unjudged"] = share(all.samples - all.judged);
  metrics["truncated"] = share(all.truncated);
  metrics["turns"] = share(all.turns);
  metrics["tokens"] = all.tokens;
  metrics["skills"] = Json::object();
  for (const auto& [name, sums] : skills) {
    metrics["skills"][name] = sums.json();
  }
  return metrics;
}

std::vector<size_t> prompt_numbers(const RolloutFile& file) {
  std::map<std::pair<std::string, std::vector<int64_t>>, size_t> known;
  std::vector<size_t> numbers;
  for (const RolloutRecord& record : file.records) {
    numbers.push_back(known.emplace(std::pair(record.task, record.record.prompt), known.size()).first->second);
  }
  return numbers;
}

}  // namespace stitch::train

// SPDX-License-Identifier: Apache-2.0
#include "train/offline/rft.h"

#include <fmt/format.h>

#include <map>

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "rl/selection/keep.h"
#include "train/loop/sft.h"
#include "train/offline/gather.h"
#include "train/offline/kept_lessons.h"

namespace stitch::train {
namespace {

struct RftSettings {
  LoopSettings loop{};
  GatherSettings gather{};
  rl::KeepOptions keep{};
  int64_t least_kept = 1;
};

void read_keep_settings(Section& parent, RftSettings& settings) {
  constexpr int64_t kMaxCount = int64_t{1} << 24;
  constexpr double kMostReward = 1e9;
  Section section = parent.child("keep");
  auto rule = static_cast<size_t>(settings.keep.rule);
  section.read("rule", rule, {"right", "best", "threshold"});  // in the order of rl::KeepRule
  settings.keep.rule = static_cast<rl::KeepRule>(rule);
  if (section.has("threshold")) {
    section.read("threshold", settings.keep.threshold.emplace(0), -kMostReward, kMostReward);
  } else if (settings.keep.rule == rl::KeepRule::kThreshold) {
    section.require("threshold");
  }
  section.read("per_prompt", settings.keep.per_prompt, 0, kMaxCount);
  if (settings.keep.rule == rl::KeepRule::kBest && settings.keep.per_prompt > 1) {
    section.refuse("per_prompt", "is more than the one that the rule 'best' keeps");
  }
  section.read("drop_zero_variance", settings.keep.is_zero_variance_dropped);
  section.read("truncated", settings.keep.is_truncated_kept);
  section.read("least", settings.least_kept, 1, kMaxCount);
  parent.add(std::move(section));
}

void read_rft_settings(Section& section, RftSettings& settings) {
  read_loop_settings(section, settings.loop);
  read_gather_settings(section, settings.gather, settings.loop);
  read_keep_settings(section, settings);
}

std::string digest_of(const RolloutRecord& record) {
  std::vector<int64_t> said;  // what stands between the answers of several turns
  for (size_t i = 0; i < record.record.response.size(); ++i) {
    if (!record.record.mask[i]) {
      said.push_back(record.record.response[i]);
    }
  }
  return sha256_hex(Json{said, record.text}.dump(-1, ' ', false, Json::error_handler_t::replace));
}

rl::KeptAnswers choose(const RolloutFile& file, const rl::KeepOptions& options) {
  const std::vector<size_t> prompts = prompt_numbers(file);
  std::map<std::string, size_t> groups;
  std::vector<rl::SampledAnswer> answers;
  for (size_t i = 0; i < file.records.size(); ++i) {
    const RolloutRecord& record = file.records[i];
    answers.push_back({.group = groups.emplace(record.group, groups.size()).first->second,
                       .prompt = prompts[i],
                       .reward = record.reward,
                       .is_pass = record.is_pass,
                       .is_hack = record.is_hack,
                       .is_truncated = record.is_truncated,
                       .digest = digest_of(record)});
  }
  return rl::keep_answers(answers, options);
}

Json to_json(const rl::KeepCounts& counts) {
  return {{"kept", counts.kept},
          {"left_out",
           {{"unjudged", counts.unjudged},
            {"in_dropped_group", counts.in_dropped_group},
            {"hack", counts.hack},
            {"truncated", counts.truncated},
            {"below", counts.below},
            {"same", counts.same},
            {"beyond", counts.beyond}}}};
}

// A checkpoint remembers what it was trained on: who goes on must find the same.
class KeptPart final : public CheckpointPart {
 public:
  Result<void> write(const std::filesystem::path& folder) const override {
    return write_file(folder / kFile, Json{{"sha256", sha256_}}.dump() + "\n");
  }
  Result<void> read(const std::filesystem::path& folder) override {
    STITCH_ASSIGN(const std::string text, read_file(folder / kFile));
    STITCH_ASSIGN(const Json json, parse_json(text, (folder / kFile).string()));
    STITCH_ASSIGN(sha256_, json_string(json, "sha256"));
    return {};
  }
  Result<void> take(const std::string& sha256, const std::string& run) {
    if (!sha256_.empty() && sha256_ != sha256) {
      return failure(ErrorCode::kFileInvalid, "the run learned from other answers than its rollouts hold now", run,
                     "put the files of its folder 'rollouts' back, or begin a new run");
    }
    sha256_ = sha256;
    return {};
  }

 private:
  static constexpr const char* kFile = "kept.json";
  std::string sha256_{};
};

Json shut_gate(const RftSettings& settings, const Json& kept) {
  const int64_t count = kept["kept"].get<int64_t>();
  std::string reasons;
  for (const auto& [name, number] : kept["left_out"].items()) {
    if (number != 0) {
      reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", number.get<int64_t>(), name);
    }
  }
  return {
      {"is_open", false},
      {"sentence", fmt::format("{} answers are kept, and 'keep.least' is {} (left out: {}); nothing was learned: draw "
                               "more, ask easier prompts, begin from a better model, or keep by another rule",
                               count, settings.least_kept, reasons.empty() ? "none" : reasons)}};
}

}  // namespace

Result<Json> run_rft(const Configuration& config) {
  RftSettings settings;
  settings.loop.base = config.base;
  Section section(config.json.get(), config.where);
  read_rft_settings(section, settings);
  STITCH_TRY(section.finish());

  const LoopSettings& loop = settings.loop;
  STITCH_ASSIGN(Gatherer gatherer, Gatherer::open(settings.gather, loop));
  STITCH_ASSIGN(Decoder model, starting_model(loop));
  KeptPart part;
  STITCH_ASSIGN(Trainer trainer,
                Trainer::open(loop, without_addresses(section.resolved()), gatherer.inputs(), std::move(model), &part));
  if (settings.gather.source.has_value()) {
    STITCH_TRY(trainer.keep_text_of(settings.gather.source->prompts.source));
  }
  const Decoder* const policy = trainer.step() == 0 ? &trainer.model() : nullptr;
  STITCH_ASSIGN(const RolloutFile drawn, gatherer.gather(policy, "rft"));
  const rl::KeptAnswers kept = choose(drawn, settings.keep);
  const std::string run = loop.resolve(loop.run).string();
  STITCH_TRY(part.take(sha256_hex(drawn.sha256 + Json(kept.places).dump()), run));

  const Json counts = to_json(kept.counts);
  const Json begin = {
      {"step", 0}, {"drawn", gathered_metrics(drawn)}, {"kept", counts}, {"prompts", gatherer.counts()}};
  STITCH_TRY(trainer.tell_begin(begin));
  const auto lessons = loop.resolve(loop.run) / "lessons.jsonl";
  STITCH_ASSIGN(const int64_t written, write_lessons(lessons, drawn, kept.places, loop));
  Json answer = {{"run", run}, {"step", trainer.step()}, {"gate", shut_gate(settings, counts)}};
  if (kept.counts.kept >= settings.least_kept) {
    std::vector<TrainingRecord> records;
    for (const size_t place : kept.places) {
      records.push_back(drawn.records[place].record);
    }
    STITCH_ASSIGN(answer, train_on_records(trainer, records, {}));
    answer["gate"] = {{"is_open", true}};
  }
  answer["drawn"] = begin["drawn"];
  answer["kept"] = counts;
  answer["lessons"] = {{"file", lessons.string()}, {"count", written}};
  return answer;
}

}  // namespace stitch::train

// SPDX-License-Identifier: Apache-2.0
// Judged answers of a policy that stands still: drawn into files of the run's own, or read from those of an earlier
// run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "train/reinforce/policy_settings.h"
#include "train/rollout/rollout_record.h"

namespace stitch::train {

struct GatherSettings {
  // "data": {"rollouts": [...], "max_tokens": N}: files, or folders with step-N.jsonl; relative to the configuration.
  std::vector<std::string> rollouts{};
  int64_t max_tokens = 2048;  // a longer record is an error
  // "prompts", "rollout", "evaluator" and "draw": {"samples": K, "prompts": N}, where nothing was drawn before.
  std::optional<SourceSettings> source{};
  int64_t samples = 8;  // answers to a prompt
  int64_t prompts = 8;  // drawn and judged at once, one file
};
void read_gather_settings(Section& section, GatherSettings& settings, const LoopSettings& loop);

class Gatherer {
 public:
  // Opens what it draws from, or reads the files that there are. `loop` outlives this, and so does `settings`.
  static Result<Gatherer> open(GatherSettings& settings, const LoopSettings& loop);

  // What the run is known by, which goes on with no others.
  Json inputs() const;
  // Whether gather() needs no policy: all answers are in files.
  bool is_drawn() const;
  // All answers, in the order of the prompts. What is missing is drawn by `policy`, which is not read where is_drawn(),
  // file by file, so that a run that is killed goes on with the file that it was at. `purpose` is a part of what the
  // random numbers follow from. kEnvironment where too many have no reward, kFileInvalid for files of another run.
  Result<RolloutFile> gather(const Decoder* policy, const std::string& purpose);
  // Of the prompts: how many, and how many were left out; null where files were read.
  Json counts() const;

 private:
  Gatherer(const GatherSettings& settings, const LoopSettings& loop) : settings_(&settings), loop_(&loop) {}
  int64_t parts() const;
  std::filesystem::path part(int64_t number) const;
  Result<void> claim_folder() const;
  Result<void> draw(const Decoder& policy, int64_t number, const std::string& purpose);

  const GatherSettings* settings_;
  const LoopSettings* loop_;
  std::unique_ptr<PromptSource> source_{};  // of what is drawn
  RolloutFile read_{};                      // of what is not
};

// Shares and means over what was gathered: samples, prompts, reward, pass, hack, unjudged, truncated, turns, and the
// same of each skill. A mean over nothing is null.
Json gathered_metrics(const RolloutFile& file);

// Numbers that say which records have the same task and question, in the order of their first record.
std::vector<size_t> prompt_numbers(const RolloutFile& file);

}  // namespace stitch::train

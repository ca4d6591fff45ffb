// SPDX-License-Identifier: Apache-2.0
// Judged answers as lines of JSON: what a run drew, and what rejection fine-tuning and critics learn from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "train/rollout/roll_out.h"

namespace stitch::train {

// A line for each sample of `groups`: prompt_ids, response_ids, response_mask, logp_rollout, policy_version, group_id,
// sample_index, task_id, skill, reward, trainable, outcome, pass, hack, metrics, turns (of each: its end and reward),
// finish_reason, the last answer's text and, where the prompt has them, its messages.
std::string rollout_lines(const std::vector<RolloutGroup>& groups, int64_t policy_version);

struct RolloutRecord {
  TrainingRecord record;
  std::string group{};             // what shares a prompt
  std::optional<double> reward{};  // none: nothing is known of it
  bool is_pass = false;
  bool is_hack = false;
  bool is_truncated = false;
  int64_t turns = 1;
  std::string task{}, skill{}, outcome{};
  std::string text{};      // of the last answer
  std::string messages{};  // JSON of the question; empty where the line has none
};

struct RolloutFile {
  std::vector<RolloutRecord> records;
  std::string sha256;
};

// kFileInvalid as read_records(), and for a line without "reward" or "group_id".
Result<RolloutFile> read_rollouts(const std::filesystem::path& path, int64_t vocab, int64_t max_tokens);
// Of all files, one behind the other; the digest is of theirs.
Result<RolloutFile> read_all_rollouts(const std::vector<std::filesystem::path>& paths, int64_t vocab,
                                      int64_t max_tokens);

}  // namespace stitch::train

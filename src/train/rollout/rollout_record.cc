// SPDX-License-Identifier: Apache-2.0
#include "train/rollout/rollout_record.h"

#include <algorithm>
#include <cmath>

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "base/json/json_line.h"
#include "base/text/filled_lines.h"

namespace stitch::train {
namespace {

Json reward_json(const std::optional<double>& reward) { return reward.has_value() ? Json(*reward) : Json(); }

Json line_of(const RolloutGroup& group, size_t number, int64_t policy_version) {
  const RolloutSample& sample = group.samples[number];
  const rewards::Judgement& judged = sample.judgement();
  Json line = {{"prompt_ids", sample.record.prompt}, {"response_ids", sample.record.response}};
  line["response_mask"] = Json::array();
  for (const bool is_learned : sample.record.mask) {
    line["response_mask"].push_back(is_learned ? 1 : 0);
  }
  line["logp_rollout"] = sample.logp;
  line["policy_version"] = policy_version;
  line["group_id"] = group.prompt->key + "/" + std::to_string(policy_version);
  line["sample_index"] = number;
  line["task_id"] = group.prompt->task;
  line["skill"] = to_string(group.prompt->skill);
  line["reward"] = reward_json(judged.reward);
  line["trainable"] = judged.reward.has_value();
  line["outcome"] = judged.outcome;
  line["sentence"] = judged.sentence;
  line["pass"] = judged.is_pass;
  line["hack"] = judged.is_hack;
  line["metrics"] = judged.parts;
  line["turns"] = Json::array();
  for (const Turn& turn : sample.turns) {
    line["turns"].push_back({{"end", turn.end}, {"reward", reward_json(turn.judgement.reward)}});
  }
  line["finish_reason"] = sample.is_truncated ? "length" : "stop";
  line["text"] = sample.text;
  if (!group.prompt->messages.empty()) {
    line["messages"] = Json::parse(group.prompt->messages, nullptr, false);
  }
  return line;
}

std::string text_in(const Json& line, const char* key) {
  const Json found = line.value(key, Json());
  return found.is_string() ? found.get<std::string>() : std::string();
}

Result<void> read_judgement(const Json& line, RolloutRecord& record) {
  STITCH_ASSIGN(record.group, json_string(line, "group_id"));
  const Json reward = line.value("reward", Json());
  if (!line.contains("reward") || !(reward.is_null() || reward.is_number())) {
    return failure(ErrorCode::kFileInvalid, "reward is neither a number nor null");
  }
  if (reward.is_number() && std::isfinite(reward.get<double>())) {
    record.reward = reward.get<double>();
  }
  record.is_pass = line.value("pass", Json()) == Json(true);
  record.is_hack = line.value("hack", Json()) == Json(true);
  record.is_truncated = line.value("finish_reason", Json()) == Json("length");
  const Json turns = line.value("turns", Json());
  record.turns = turns.is_array() ? std::max<int64_t>(1, static_cast<int64_t>(turns.size())) : 1;
  record.task = text_in(line, "task_id");
  record.skill = text_in(line, "skill");
  record.outcome = text_in(line, "outcome");
  record.text = text_in(line, "text");
  const Json messages = line.value("messages", Json());
  record.messages = messages.is_array() ? messages.dump(-1, ' ', false, Json::error_handler_t::replace) : "";
  return {};
}

}  // namespace

std::string rollout_lines(const std::vector<RolloutGroup>& groups, int64_t policy_version) {
  std::string lines;
  for (const RolloutGroup& group : groups) {
    for (size_t i = 0; i < group.samples.size(); ++i) {
      lines += json_line(line_of(group, i, policy_version));
    }
  }
  return lines;
}

Result<RolloutFile> read_rollouts(const std::filesystem::path& path, int64_t vocab, int64_t max_tokens) {
  STITCH_ASSIGN(RecordFile records, read_records(path, vocab, max_tokens));
  STITCH_ASSIGN(const std::string text, read_file(path));
  RolloutFile file{.records = {}, .sha256 = sha256_hex(text)};
  if (file.sha256 != records.sha256) {
    return failure(ErrorCode::kEnvironment, "the file changed while it was read", path.string(), "try again");
  }
  STITCH_TRY(for_each_filled_line(text, [&](std::string_view line, int64_t number) -> Result<void> {
    const std::string where = path.string() + ":" + std::to_string(number);
    STITCH_ASSIGN(const Json json, parse_json(std::string(line), where));
    RolloutRecord record{.record = std::move(records.records[file.records.size()])};
    const auto read = read_judgement(json, record);
    if (!read.has_value()) {
      return failure(ErrorCode::kFileInvalid, read.error().message, where,
                     "name a file of a run's folder 'rollouts', or change or remove this line");
    }
    file.records.push_back(std::move(record));
    return {};
  }));
  return file;
}

Result<RolloutFile> read_all_rollouts(const std::vector<std::filesystem::path>& paths, int64_t vocab,
                                      int64_t max_tokens) {
  RolloutFile all;
  std::string digests;
  for (const auto& path : paths) {
    STITCH_ASSIGN(RolloutFile file, read_rollouts(path, vocab, max_tokens));
    std::move(file.records.begin(), file.records.end(), std::back_inserter(all.records));
    digests += file.sha256;
  }
  all.sha256 = sha256_hex(digests);
  return all;
}

}  // namespace stitch::train

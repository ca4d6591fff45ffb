// SPDX-License-Identifier: Apache-2.0
#include "train/records/training_record.h"

#include <algorithm>

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "base/text/filled_lines.h"

namespace stitch::train {
namespace {

struct Reader {
  std::string path;
  int64_t vocab, max_tokens;
  RecordKind kind;

  Unexpected refused(int64_t line, const std::string& what) const {
    return failure(ErrorCode::kFileInvalid, what, path + ":" + std::to_string(line), "change or remove this line");
  }

  Result<std::vector<int64_t>> token_ids(const Json& json, const char* key, int64_t line) const {
    const auto ids = json_int_list(json, key);
    if (!ids.has_value()) {
      return refused(line, ids.error().message);
    }
    const auto outside =
        std::find_if(ids->begin(), ids->end(), [&](int64_t token) { return token < 0 || token >= vocab; });
    if (outside != ids->end()) {
      return refused(line, std::string(key) + " has token " + std::to_string(*outside) + " of a vocabulary of " +
                               std::to_string(vocab));
    }
    return *ids;
  }

  Result<TrainingRecord> record(const std::string& text, int64_t line) const {
    STITCH_ASSIGN(const Json json, parse_json(text, path + ":" + std::to_string(line)));
    if (!json.is_object()) {
      return refused(line, "the record is no object");
    }
    TrainingRecord record;
    STITCH_ASSIGN(record.prompt, token_ids(json, "prompt_ids", line));
    if (kind == RecordKind::kTraining) {
      STITCH_ASSIGN(record.response, token_ids(json, "response_ids", line));
    }
    const auto length = static_cast<int64_t>(record.prompt.size() + record.response.size());
    if (length > max_tokens) {
      return refused(line,
                     "the record has " + std::to_string(length) + " tokens, more than " + std::to_string(max_tokens));
    }
    record.mask.assign(record.response.size(), true);
    if (kind == RecordKind::kPrompt) {
      return record;
    }
    return with_mask(std::move(record), json, line);
  }

  Result<TrainingRecord> with_mask(TrainingRecord record, const Json& json, int64_t line) const {
    if (json.contains("response_mask")) {
      const auto mask = json_int_list(json, "response_mask");
      if (!mask.has_value()) {
        return refused(line, mask.error().message);
      }
      if (mask->size() != record.response.size()) {
        return refused(line, "response_mask has " + std::to_string(mask->size()) + " entries for " +
                                 std::to_string(record.response.size()) + " tokens");
      }
      for (size_t i = 0; i < mask->size(); ++i) {
        if ((*mask)[i] != 0 && (*mask)[i] != 1) {
          return refused(line, "response_mask has an entry other than 0 and 1");
        }
        record.mask[i] = (*mask)[i] == 1;
      }
    }
    if (learned_tokens(record) == 0) {
      return refused(line, "the record has no token to be learned");
    }
    return record;
  }
};

}  // namespace

int64_t learned_tokens(const TrainingRecord& record) {
  const auto all = std::count(record.mask.begin(), record.mask.end(), true);
  return all - (record.prompt.empty() && !record.mask.empty() && record.mask.front() ? 1 : 0);
}

Result<RecordFile> read_records(const std::filesystem::path& path, int64_t vocab, int64_t max_tokens, RecordKind kind) {
  STITCH_ASSIGN(const std::string text, read_file(path));
  RecordFile file{{}, sha256_hex(text)};
  const Reader reader{path.string(), vocab, max_tokens, kind};
  STITCH_TRY(for_each_filled_line(text, [&](std::string_view line, int64_t number) -> Result<void> {
    STITCH_ASSIGN(TrainingRecord record, reader.record(std::string(line), number));
    file.records.push_back(std::move(record));
    return {};
  }));
  if (file.records.empty()) {
    return failure(ErrorCode::kFileInvalid, "the file has no record", path.string(), "name one that has");
  }
  return file;
}

RecordBatch batch_of(const std::vector<const TrainingRecord*>& records) {
  size_t longest = 2;
  for (const TrainingRecord* record : records) {
    longest = std::max(longest, record->prompt.size() + record->response.size());
  }
  const auto rows = static_cast<int64_t>(records.size());
  const auto columns = static_cast<int64_t>(longest);
  RecordBatch batch{at::zeros({rows, columns}, at::kLong), at::zeros({rows, columns - 1}, at::kBool)};
  for (int64_t row = 0; row < rows; ++row) {
    const TrainingRecord& record = *records[static_cast<size_t>(row)];
    auto* tokens = batch.tokens.data_ptr<int64_t>() + row * columns;
    auto* wanted = batch.wanted.data_ptr<bool>() + row * (columns - 1);
    std::copy(record.prompt.begin(), record.prompt.end(), tokens);
    std::copy(record.response.begin(), record.response.end(), tokens + record.prompt.size());
    for (size_t i = 0; i < record.response.size(); ++i) {
      const size_t place = record.prompt.size() + i;
      if (place > 0) {
        wanted[place - 1] = record.mask[i];
      }
    }
  }
  return batch;
}

}  // namespace stitch::train

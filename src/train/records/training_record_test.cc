// SPDX-License-Identifier: Apache-2.0
#include "train/records/training_record.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"

namespace stitch::train {
namespace {

struct Taken {
  std::string error{}, location{};
  RecordFile file{};
};

Taken taken(const std::string& text) {
  const auto folder = TemporaryDirectory::make("records").value();
  const auto path = folder.path() / "r.jsonl";
  EXPECT_TRUE(write_file(path, text).has_value());
  auto file = read_records(path, 16, 6);
  if (file.has_value()) {
    return {"", "", std::move(*file)};
  }
  return {file.error().message, file.error().location.substr(folder.path().string().size()), {}};
}

TEST(TrainingRecord, IsReadALineAtATime) {
  const Taken two = taken(
      "{\"prompt_ids\": [1, 2], \"response_ids\": [3], \"reward\": 1}\n\n"
      "{\"prompt_ids\": [], \"response_ids\": [4, 5, 6], \"response_mask\": [1, 0, 1]}\n");
  ASSERT_EQ(two.error, "");
  ASSERT_EQ(two.file.records.size(), 2U);
  EXPECT_EQ(learned_tokens(two.file.records[0]), 1);
  EXPECT_EQ(learned_tokens(two.file.records[1]), 1);
  const RecordBatch batch = batch_of({&two.file.records[0], &two.file.records[1]});
  EXPECT_TRUE(at::equal(batch.tokens, at::tensor({1, 2, 3, 4, 5, 6}, at::kLong).view({2, 3})));
  EXPECT_TRUE(at::equal(batch.wanted, at::tensor({0, 1, 0, 1}, at::kLong).view({2, 2}).to(at::kBool)));
}

TEST(TrainingRecord, SaysWhichLineIsWrong) {
  const std::string good = "{\"prompt_ids\": [1], \"response_ids\": [2]}\n";
  const auto error = [&](const std::string& line) {
    const Taken found = taken(good + line);
    EXPECT_EQ(found.location, "/r.jsonl:2") << line;
    return found.error;
  };
  EXPECT_EQ(error("[]"), "the record is no object");
  EXPECT_EQ(error(R"({"prompt_ids": [16], "response_ids": [2]})"), "prompt_ids has token 16 of a vocabulary of 16");
  EXPECT_EQ(error(R"({"prompt_ids": [1,1,1,1,1,1], "response_ids": [2]})"), "the record has 7 tokens, more than 6");
  EXPECT_EQ(error(R"({"prompt_ids": [1], "response_ids": []})"), "the record has no token to be learned");
  EXPECT_EQ(error(R"({"prompt_ids": [], "response_ids": [1]})"), "the record has no token to be learned");
  EXPECT_EQ(error(R"({"prompt_ids": [1], "response_ids": [1], "response_mask": [1, 1]})"),
            "response_mask has 2 entries for 1 tokens");
  EXPECT_EQ(error(R"({"prompt_ids": [1], "response_ids": [1], "response_mask": [2]})"),
            "response_mask has an entry other than 0 and 1");
  EXPECT_NE(error(R"({"prompt_ids": [1]})"), "");
  EXPECT_EQ(taken("\n").error, "the file has no record");
}

}  // namespace
}  // namespace stitch::train

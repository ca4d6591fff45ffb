// SPDX-License-Identifier: Apache-2.0
#include "train/records/lesson_records.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "tokens/train/train_tokenizer.h"

namespace stitch::train {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kVocab = 280;

class LessonRecords : public testing::Test {
 protected:
  void SetUp() override {
    tokens::TrainTokenizerOptions options;
    options.vocab_size = kVocab;
    auto trainer = tokens::TokenizerTrainer::make(options).value();
    ASSERT_TRUE(trainer.add("write a kernel, write a kernel; the kernel adds").has_value());
    source_.tokenizer = path() / "tokenizer.json";
    ASSERT_TRUE(write_file(source_.tokenizer, trainer.tokenizer_json()).has_value());
  }
  fs::path path() const { return folder_.path(); }

  static Json lesson(const std::string& question, const std::string& answer, bool is_positive = true) {
    Json messages = Json::array();
    messages.push_back({{"role", "system"}, {"content", "You write CUDA."}});
    messages.push_back({{"role", "user"}, {"content", question}});
    return {
        {"schema", "stitchcuda.lesson/1"}, {"messages", messages}, {"answer", answer}, {"is_positive", is_positive}};
  }

  Result<LessonFile> taken(const std::vector<Json>& lessons, int64_t max_tokens = 1000,
                           RecordKind kind = RecordKind::kTraining) {
    std::string lines;
    for (const Json& each : lessons) {
      lines += each.dump() + "\n\n";
    }
    EXPECT_TRUE(write_file(path() / "l.jsonl", lines).has_value());
    return LessonReader::open(source_, kVocab).value().read(path() / "l.jsonl", max_tokens, kind);
  }

  std::string error(const Json& lesson) {
    const auto file = taken({this->lesson("a", "b"), lesson, "of two that are wrong the first is named"});
    EXPECT_EQ(file.error().location, (path() / "l.jsonl:3").string());
    return file.error().message;
  }

  TemporaryDirectory folder_ = TemporaryDirectory::make("lessons").value();
  LessonSource source_{};
};

TEST_F(LessonRecords, AQuestionIsThePromptAndItsAnswerWithTheEndOfItsTurnIsTheResponse) {
  const LessonReader reader = LessonReader::open(source_, kVocab).value();
  const auto tokenizer = tokens::Tokenizer::open(source_.tokenizer).value();
  const LessonFile file = taken({lesson("write a kernel", "adds\n")}).value();
  ASSERT_EQ(file.file.records.size(), 1U);
  const TrainingRecord& record = file.file.records[0];
  EXPECT_EQ(tokenizer.decode(record.prompt),
            "<|im_start|>system\nYou write CUDA.<|im_end|>\n<|im_start|>user\nwrite a kernel<|im_end|>\n"
            "<|im_start|>assistant\n");
  EXPECT_EQ(tokenizer.decode(record.response), "adds\n<|im_end|>");
  EXPECT_EQ(record.response.back(), reader.end_of_turn());
  EXPECT_EQ(reader.text_of(record.response), "adds\n");
  EXPECT_EQ(learned_tokens(record), static_cast<int64_t>(record.response.size()));
}

TEST_F(LessonRecords, ControlTokensInWhatSomebodyWroteAreText) {
  const LessonReader reader = LessonReader::open(source_, kVocab).value();
  const auto file = taken({lesson("<|im_end|>", "a<|im_end|>b")}).value();
  const TrainingRecord& record = file.file.records[0];
  EXPECT_EQ(std::count(record.prompt.begin(), record.prompt.end(), reader.end_of_turn()), 2);
  EXPECT_EQ(std::count(record.response.begin(), record.response.end(), reader.end_of_turn()), 1);
  EXPECT_EQ(reader.text_of(record.response), "a<|im_end|>b");
}

TEST_F(LessonRecords, WhatIsLeftOutIsCountedByReasonAndNothingIsCut) {
  Json with_tools = lesson("a", "b");
  with_tools["messages"].push_back({{"role", "tool"}, {"content", "42"}});
  const std::vector<Json> lessons = {lesson("a", "b"), lesson("a", "bad", false), with_tools,
                                     lesson("a", std::string(2000, 'x')), lesson("a", "c")};
  const LessonFile positive = taken(lessons).value();
  EXPECT_EQ(positive.file.records.size(), 2U);
  EXPECT_EQ(to_json(positive.left_out).dump(), R"({"not_positive":1,"with_tools":1,"too_long":1})");
  source_.which = WhichLessons::kAll;
  const LessonFile all = taken(lessons).value();
  EXPECT_EQ(all.file.records.size(), 3U);
  EXPECT_EQ(to_json(all.left_out).dump(), R"({"not_positive":0,"with_tools":1,"too_long":1})");
  const auto longest = static_cast<int64_t>(all.file.records[0].prompt.size() + all.file.records[0].response.size());
  EXPECT_EQ(taken({lesson("a", "b")}, longest).value().file.records.size(), 1U);
  EXPECT_FALSE(taken({lesson("a", "b")}, longest - 1).has_value());
  const LessonFile prompts = taken(lessons, 1000, RecordKind::kPrompt).value();
  EXPECT_EQ(prompts.file.records.size(), 4U);
  EXPECT_TRUE(prompts.file.records[0].response.empty());
}

TEST_F(LessonRecords, SayWhatIsWrongAndInWhichLine) {
  EXPECT_EQ(error(Json::array()), "the line is no lesson, whose \"schema\" is stitchcuda.lesson/1");
  EXPECT_EQ(error({{"prompt_ids", {1}}}), "the line is no lesson, whose \"schema\" is stitchcuda.lesson/1");
  for (const char* key : {"messages", "answer", "is_positive"}) {
    Json without = lesson("a", "b");
    without.erase(key);
    EXPECT_NE(error(without).find(key), std::string::npos);
  }
  Json strange = lesson("a", "b");
  strange["messages"][0]["role"] = "oracle";
  EXPECT_EQ(error(strange), "a message has the role 'oracle', which no template knows");
  strange["messages"] = Json::array();
  EXPECT_EQ(error(strange), "there is no message");
  strange["messages"] = {1};
  EXPECT_EQ(error(strange), "a message is no object");
  EXPECT_EQ(taken({lesson("a", "b", false)}).error().message,
            "nothing is left of the file's 1 lessons: 1 are not positive, 0 have tools, 0 are longer than 1000 tokens");
}

TEST_F(LessonRecords, ATokenizerThatDoesNotFitIsRefused) {
  const auto other = LessonReader::open(source_, kVocab - 30);
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().code, ErrorCode::kUsage);
  EXPECT_NE(other.error().message.find("and the model's vocabulary 250"), std::string::npos);
  tokens::TrainTokenizerOptions plain;
  plain.special_tokens = {"<|endoftext|>"};
  plain.vocab_size = kVocab;
  ASSERT_TRUE(
      write_file(source_.tokenizer, tokens::TokenizerTrainer::make(plain).value().tokenizer_json()).has_value());
  const auto without = LessonReader::open(source_, kVocab);
  EXPECT_EQ(without.error().message, "the tokenizer has no token \"<|im_start|>\"");
  EXPECT_EQ(without.error().location, source_.tokenizer.string());
  source_.tokenizer = path() / "none.gguf";
  EXPECT_FALSE(LessonReader::open(source_, kVocab).has_value());
}

}  // namespace
}  // namespace stitch::train

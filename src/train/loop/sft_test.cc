// SPDX-License-Identifier: Apache-2.0
#include "train/loop/sft.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "train/loop/draw.h"
#include "train/loop/trainer.h"
#include "train/model/golden_fixture.h"
#include "train/sampler/sample.h"

namespace stitch::train {
namespace {

namespace fs = std::filesystem;

// Responses count on from the prompt's last token: something to be learned in few steps.
TrainingRecord counting(int64_t first, int64_t prompt, int64_t response) {
  TrainingRecord record;
  for (int64_t i = 0; i < prompt + response; ++i) {
    (i < prompt ? record.prompt : record.response).push_back((first + i) % 16);
  }
  record.mask.assign(record.response.size(), true);
  return record;
}

std::string lines_of(int64_t records) {
  std::string lines;
  for (int64_t i = 0; i < records; ++i) {
    const TrainingRecord record = counting(i, 1 + i % 3, 3 + i % 5);
    lines += Json({{"prompt_ids", record.prompt}, {"response_ids", record.response}}).dump() + "\n";
  }
  return lines;
}

Result<Json> sft(const fs::path& file) {
  STITCH_ASSIGN(const Configuration config, read_configuration(file));
  return run_sft(config);
}

class Sft : public testing::Test {
 protected:
  void SetUp() override {
    compute_reproducibly();
    ASSERT_TRUE(write_model(path() / "base", Decoder::random(tiny_config(), 1, 0.1)).has_value());
    ASSERT_TRUE(write_file(path() / "train.jsonl", lines_of(21)).has_value());
  }
  fs::path path() const { return folder_.path(); }

  fs::path config(const std::string& run, const std::string& more,
                  const std::string& model = R"({"path": "base"})") const {
    const fs::path file = path() / (run + ".json");
    const std::string text = "{\"run\": \"" + run + "\", \"model\": " + model +
                             ", \"steps\": 10, \"batch\": 6, \"seed\": 3, \"data\": {\"train\": \"train.jsonl\"}" +
                             more + "}";
    EXPECT_TRUE(write_file(file, text).has_value());
    return file;
  }
  std::string text(const fs::path& file) const { return read_file(path() / file).value(); }

  TemporaryDirectory folder_ = TemporaryDirectory::make("sft").value();
};

const char* const kFull = R"(, "micro_batch": 4, "recompute_blocks": true, "checkpoint": {"every": 5, "keep": 3},
  "optimizer": {"learning_rate": 0.02, "warmup_steps": 2, "decay": "cosine", "weight_decay": 0.01})";

// N22: ended after the fifth step, in the middle of writing what came after, and gone on with.
TEST_F(Sft, GoesOnToTheSameBits) {
  const std::string fp32 = R"({"path": "base"})";
  const std::string mixed = R"({"path": "base", "compute": "bfloat16"})";
  for (const auto& [run, more, model] : std::vector<std::array<std::string, 3>>{
           {"full", "", fp32}, {"adapted", R"(, "lora": {"r": 2})", fp32}, {"mixed", "", mixed}}) {
    ASSERT_TRUE(sft(config(run, kFull + more, model)).has_value());
    const fs::path weights =
        more.empty() ? "ckpt/step-10/model/model.safetensors" : "ckpt/step-10/adapter/adapter_model.safetensors";
    const std::string metrics = text(fs::path(run) / "metrics.jsonl");
    const std::string trained = text(run / weights);
    const std::string moments = text(fs::path(run) / "ckpt/step-10/optim.safetensors");
    fs::remove_all(path() / run / "ckpt" / "step-10");
    ASSERT_TRUE(write_file(path() / run / "ckpt" / "step-10.tmp" / "half", "x").has_value());
    ASSERT_TRUE(write_file(path() / run / "ckpt" / "LATEST", "step-5\n").has_value());
    const auto again = sft(config(run, kFull + more, model));
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_EQ(text(fs::path(run) / "metrics.jsonl"), metrics);
    EXPECT_EQ(text(run / weights), trained);
    EXPECT_EQ(text(fs::path(run) / "ckpt/step-10/optim.safetensors"), moments);
    EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 10);
  }
}

TEST_F(Sft, LearnsWhatItIsShownAndWritesItDown) {
  fs::path file = config("counts", "");
  std::string settings = text("counts.json");
  settings.replace(settings.find("\"steps\": 10"), 11, R"("steps": 60, "optimizer": {"learning_rate": 0.03})");
  ASSERT_TRUE(write_file(file, settings).has_value());
  const auto answer = sft(file);
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  EXPECT_LT((*answer)["last"]["loss"].get<double>(), 0.1);
  const Decoder trained = read_model((*answer)["checkpoint"].get<std::string>() + "/model", {}).value();
  const std::vector<SampleRequest> requests = {{{4, 5}, 0}};
  SampleSettings greedy;
  greedy.restriction.temperature = 0;
  greedy.max_tokens = 3;
  EXPECT_EQ(sample(trained, requests, greedy).value()[0].tokens, (std::vector<int64_t>{6, 7, 8}));
  const std::string metrics = text("counts/metrics.jsonl");
  const Json first = parse_json(metrics.substr(0, metrics.find('\n')), "metrics").value();
  EXPECT_GT(first["loss"].get<double>(), 2);
  EXPECT_EQ(first["step"], 1);
  EXPECT_EQ(first["learning_rate"], 0.03);
}

// N20: how a batch is divided, and the order in it, makes no difference.
TEST_F(Sft, PartsOfABatchMakeNoDifference) {
  std::vector<TrainingRecord> records;
  for (int64_t i = 0; i < 8; ++i) {
    records.push_back(counting(i, 1 + i % 3, 2 + i));
  }
  records[3].mask[1] = false;
  const Decoder model = [&] {
    Decoder made = Decoder::random(tiny_config(), 1, 0.3);
    made.train_base(true);
    return made;
  }();
  std::vector<const TrainingRecord*> order;
  for (const TrainingRecord& record : records) {
    order.push_back(&record);
  }
  NamedTensors whole;
  for (const int64_t size : {8, 4, 2, 1}) {
    clear_gradients(model.trainable());
    const BatchLoss loss = accumulate_gradients(model, order, size, {}, {});
    EXPECT_EQ(loss.tokens, 43);
    for (const auto& [name, parameter] : model.trainable()) {
      if (size == 8) {
        whole[name] = parameter.grad().clone();
      }
      EXPECT_LE(relative_distance(parameter.grad(), whole.at(name)), 1e-6) << name << " by " << size;
    }
    std::rotate(order.begin(), order.begin() + 3, order.end());
  }
}

TEST_F(Sft, EachEpochTakesEveryRecordOnce) {
  const std::vector<TrainingRecord> records(7);
  RecordOrder order(records, 5);
  std::vector<const TrainingRecord*> taken;
  for (int64_t step = 0; step < 7; ++step) {
    const auto part = order.of_step(step, 3);
    taken.insert(taken.end(), part.begin(), part.end());
    EXPECT_EQ(RecordOrder(records, 5).of_step(step, 3), part);
  }
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    std::set<const TrainingRecord*> all(taken.begin() + 7 * epoch, taken.begin() + 7 * (epoch + 1));
    EXPECT_EQ(all.size(), 7U);
  }
  EXPECT_FALSE(std::equal(taken.begin(), taken.begin() + 7, taken.begin() + 7));  // in another order
  EXPECT_NE(RecordOrder(records, 6).of_step(0, 7), RecordOrder(records, 5).of_step(0, 7));
}

TEST_F(Sft, RefusesToGoOnWithAnotherRun) {
  const auto message = [&](const std::string& more) {
    const auto answer = sft(config("run", more));
    return answer.has_value() ? "done" : answer.error().message;
  };
  EXPECT_EQ(message(kFull), "done");
  EXPECT_EQ(message(kFull), "done");
  EXPECT_EQ(message(""), "the run was begun with other settings: 'micro_batch' differs");
  ASSERT_TRUE(write_file(path() / "train.jsonl", lines_of(20)).has_value());
  EXPECT_EQ(message(kFull), "the run was begun with other data");
}

// What is drawn is a file of records: it can be trained on.
TEST_F(Sft, WhatIsDrawnCanBeTrainedOn) {
  const auto draw = [&](int64_t batch) {
    const std::string text = R"({"model": {"path": "base"}, "prompts": "train.jsonl", "samples": 2, "max_tokens": 5,
                                 "stop_tokens": [3], "out": "drawn.jsonl", "batch": )" +
                             std::to_string(batch) + "}";
    EXPECT_TRUE(write_file(path() / "sample.json", text).has_value());
    return run_sample(read_configuration(path() / "sample.json").value());
  };
  const auto answer = draw(5);
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  EXPECT_EQ((*answer)["samples"], 42);
  const RecordFile drawn = read_records(path() / "drawn.jsonl", 16, 64).value();
  EXPECT_EQ(drawn.records.size(), 42U);
  EXPECT_EQ(drawn.records[1].prompt, drawn.records[0].prompt);
  ASSERT_TRUE(draw(42).has_value());
  const RecordFile again = read_records(path() / "drawn.jsonl", 16, 64).value();
  for (size_t i = 0; i < drawn.records.size(); ++i) {
    EXPECT_EQ(again.records[i].response, drawn.records[i].response);
  }
}

TEST_F(Sft, SaysWhatIsWrongWithItsConfiguration) {
  const auto message = [&](const std::string& more) {
    const auto answer = sft(config("run", more));
    return answer.has_value() ? "done" : answer.error().message;
  };
  EXPECT_EQ(message(R"(, "micro_bach": 2)"), "'micro_bach' is no key that there is (did you mean 'micro_batch'?)");
  EXPECT_EQ(message(R"(, "lora": {"targets": ["q"]})"),
            "'lora.targets' has 'q', which is no linear layer of a decoder");
  EXPECT_EQ(message(R"(, "optimizer": {"decay": "step"})"), "'optimizer.decay' is none of constant, linear, cosine");
  EXPECT_EQ(message(R"(, "device": "tpu")"), "the device 'tpu' is none that training knows");
  EXPECT_EQ(message(R"(, "optimizer": {"learning_rate": 9}, "recompute_blocks": 3)"),
            "'recompute_blocks' is neither true nor false");
  ASSERT_TRUE(write_file(path() / "base" / "model.safetensors", "short").has_value());
  EXPECT_NE(message(""), "done");
}

}  // namespace
}  // namespace stitch::train

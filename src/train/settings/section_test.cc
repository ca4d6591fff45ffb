// SPDX-License-Identifier: Apache-2.0
#include "train/settings/section.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch::train {
namespace {

struct Read {
  int64_t steps = 3;
  double rate = 0.5;
  bool recomputes = false;
  std::string name = "none";
  size_t decay = 0;
  std::vector<std::string> targets{};
  std::string error{}, remedy{};
  std::string resolved{};
};

Read read(const std::string& text) {
  Read read;
  const auto json = parse_commented_json(text, "run.json");
  if (!json.has_value()) {
    read.error = json.error().message;
    return read;
  }
  Section section(json->get(), "run.json");
  section.read("steps", read.steps, 1, 10);
  section.read("name", read.name);
  section.read("recompute", read.recomputes);
  Section optimizer = section.child("optimizer");
  optimizer.read("rate", read.rate, 0, 1);
  optimizer.read("decay", read.decay, {"constant", "cosine"});
  optimizer.read("targets", read.targets);
  section.add(std::move(optimizer));
  const auto checked = section.finish();
  if (!checked.has_value()) {
    read.error = checked.error().message;
  }
  read.resolved = section.resolved().dump();
  return read;
}

TEST(Section, ReadsWhatIsThereAndKeepsTheRest) {
  const Read found = read(R"({ // how long
    "steps": 7, /* "steps": 8,
    */ "name": "a // b \" /* c", "optimizer": {"decay": "cosine", "targets": ["q_proj"]}})");
  EXPECT_EQ(found.error, "");
  EXPECT_EQ(found.resolved, R"({"steps":7,"name":"a // b \" /* c","recompute":false,)"
                            R"("optimizer":{"rate":0.5,"decay":"cosine","targets":["q_proj"]}})");
}

TEST(Section, SaysWhatIsWrongFirst) {
  EXPECT_EQ(read(R"({"steps": 11})").error, "'steps' is no whole number from 1 to 10");
  EXPECT_EQ(read(R"({"steps": 2.5})").error, "'steps' is no whole number from 1 to 10");
  EXPECT_EQ(read(R"({"steps": 18446744073709551615})").error, "'steps' is no whole number from 1 to 10");
  EXPECT_EQ(read(R"({"optimizer": {"rate": -1}})").error, "'optimizer.rate' is no number from 0 to 1");
  EXPECT_EQ(read(R"({"optimizer": {"rate": "1"}, "name": 3})").error, "'name' is no text");
  EXPECT_EQ(read(R"({"optimizer": []})").error, "'optimizer' is no object");
  EXPECT_EQ(read(R"({"optimizer": {"decay": "cosinus"}})").error, "'optimizer.decay' is none of constant, cosine");
  EXPECT_EQ(read(R"({"optimizer": {"targets": [1]}})").error, "'optimizer.targets' is no list of texts");
  EXPECT_EQ(read(R"({"recompute": 1})").error, "'recompute' is neither true nor false");
}

TEST(Section, RefusesKeysThatNobodyReads) {
  EXPECT_EQ(read(R"({"step": 1})").error, "'step' is no key that there is (did you mean 'steps'?)");
  EXPECT_EQ(read(R"({"optimizer": {"lr": 1}})").error, "'optimizer.lr' is no key that there is (did you mean 'rate'?)");
}

TEST(Section, RefusesWhatIsNoObject) {
  EXPECT_EQ(read("[]").error, "the configuration is no object");
  EXPECT_NE(read("{").error, "");
  EXPECT_NE(read("/*").error, "");
  EXPECT_EQ(read("{} //").error, "");
  EXPECT_EQ(read(std::string(40, '[')).error, "the configuration is nested too deeply");
}

}  // namespace
}  // namespace stitch::train

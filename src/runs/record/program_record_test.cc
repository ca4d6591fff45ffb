// SPDX-License-Identifier: Apache-2.0
#include "runs/record/program_record.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch::runs {
namespace {

Result<ProgramRecord> read(const char* text) { return program_record_from_json(Json::parse(text)); }

std::string message(const char* text) {
  const auto record = read(text);
  return record.has_value() ? "" : record.error().message;
}

TEST(ProgramRecord, IsReadAsWritten) {
  const auto record = read(R"({"steps": [{"name": "a", "skeleton": "gemm", "setting": {"variant": "v", "splits": 4},
    "nodes": ["x", "y"], "modelled_us": 7.5, "measured_us": null}], "sources": {"a.cu": "12"}})");
  ASSERT_TRUE(record.has_value());
  ASSERT_EQ(record->steps.size(), 1u);
  const StepRecord& step = record->steps[0];
  EXPECT_EQ(step.name + step.skeleton + step.variant, "agemmv");
  EXPECT_EQ(step.splits, 4);
  EXPECT_EQ(step.nodes, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(step.us, 7.5);
  EXPECT_FALSE(step.is_measured);
  EXPECT_EQ(record->sources.at("a.cu"), "12");
}

TEST(ProgramRecord, OfARunWithoutAProgramOrOfAnotherReleaseHasDefaults) {
  EXPECT_EQ(message("null"), "");
  const auto record = read(R"({"steps": [{"setting": null}]})");
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->steps.at(0).name, "?");
  EXPECT_EQ(record->steps.at(0).splits, 1);
}

TEST(ProgramRecord, OfAnotherKindIsRefused) {
  EXPECT_EQ(message("7"), "it is not an object");
  EXPECT_EQ(message(R"({"steps": {}})"), "member \"steps\" is not an array");
  EXPECT_EQ(message(R"({"steps": [{}, 1]})"), "step 2: it is not an object");
  EXPECT_EQ(message(R"({"steps": [{"name": 1}]})"), "step 1: member \"name\" is not a string");
  EXPECT_EQ(message(R"({"steps": [{"skeleton": []}]})"), "step 1: member \"skeleton\" is not a string");
  EXPECT_EQ(message(R"({"steps": [{"setting": 1}]})"), "step 1: member \"setting\" is not an object");
  EXPECT_EQ(message(R"({"steps": [{"setting": {"variant": 1}}]})"), "step 1: member \"variant\" is not a string");
  EXPECT_EQ(message(R"({"steps": [{"setting": {"splits": "2"}}]})"), "step 1: member \"splits\" is not an integer");
  EXPECT_EQ(message(R"({"steps": [{"nodes": [1]}]})"), "step 1: member \"nodes\" holds something other than names");
  EXPECT_EQ(message(R"({"steps": [{"measured_us": "1"}]})"), "step 1: member \"measured_us\" is not a number");
  EXPECT_EQ(message(R"({"sources": {"a.cu": 1}})"), "the digest of source \"a.cu\" is not a string");
}

}  // namespace
}  // namespace stitch::runs

// SPDX-License-Identifier: Apache-2.0
// plan.json that was altered or cut is refused with a sentence, wherever the change is; it never crashes the reader.
#include "base/json/json.h"

#include <gtest/gtest.h>

#include <functional>

#include "ir/text/parser.h"
#include "plan/plan.h"

namespace stitch::plan {
namespace {

constexpr const char* kProgram = R"(graph g mode=eval
x: f32[64,48] = input "x"
w: f32[96,48] = parameter "w"
v: f32[48] = parameter "v"
s = mul(v, 2.0)
a = add(x, s)
h = linear(a, w, none)
r = relu(h)
m = mean(r; dim=[1], keepdim=false)
return output "0" = m
)";

Json planned() { return to_json(make_plan(ir::parse(kProgram, "sample").value(), {}).value()); }

// Less the cost model's estimates: they may be anything.
Json sample() {
  Json json = planned();
  for (Json& step : json["steps"]) {
    step.erase("estimated_us");
    step.erase("measured_us");
    step.erase("alternatives");
  }
  return json;
}

TEST(PlanJson, EstimatesOfAnotherVersionAreNoMatter) {
  Json json = planned();
  json["steps"][0]["estimated_us"] = 1.0;
  EXPECT_TRUE(from_json(json).has_value());
  EXPECT_TRUE(from_json(sample()).has_value());
}

// Every place in a JSON value, as a chain of references that `change` is called with.
void for_each_place(Json& whole, Json& part, const std::function<void(Json& whole, Json& part)>& change) {
  change(whole, part);
  if (part.is_structured()) {
    for (auto& child : part) {
      for_each_place(whole, child, change);
    }
  }
}

TEST(PlanJson, AlteredNumbersAreFound) {
  Json json = sample();
  int altered = 0;
  for_each_place(json, json, [&](Json& whole, Json& part) {
    if (!part.is_number()) {
      return;
    }
    const Json kept = part;
    part = kept.is_number_integer() ? Json(kept.get<int64_t>() + 1) : Json(kept.get<double>() * 2 + 1);
    const auto read = from_json(whole);
    EXPECT_FALSE(read.has_value()) << "a number became " << part.dump();
    part = kept;
    ++altered;
  });
  EXPECT_GT(altered, 30);
  EXPECT_TRUE(from_json(json).has_value());
}

TEST(PlanJson, AlteredWordsAreFound) {
  Json json = sample();
  for_each_place(json, json, [&](Json& whole, Json& part) {
    if (!part.is_string()) {
      return;
    }
    const Json kept = part;
    part = kept.get<std::string>() + "x";
    EXPECT_FALSE(from_json(whole).has_value()) << "a word became " << part.dump();
    part = kept;
  });
}

TEST(PlanJson, MissingPartsAreFound) {
  const Json json = sample();
  for (const auto& [key, value] : json.items()) {
    Json cut = json;
    cut.erase(key);
    EXPECT_FALSE(from_json(cut).has_value()) << "without " << key;
  }
  for (const auto& [key, value] : json["steps"][0].items()) {
    Json cut = json;
    cut["steps"][0].erase(key);
    EXPECT_FALSE(from_json(cut).has_value()) << "without " << key << " of a step";
  }
}

TEST(PlanJson, MissingStepsAreFound) {
  Json json = sample();
  for (size_t step = 0; step < json["steps"].size(); ++step) {
    Json cut = json;
    cut["steps"].erase(cut["steps"].begin() + static_cast<std::ptrdiff_t>(step));
    const auto read = from_json(cut);
    ASSERT_FALSE(read.has_value());
    EXPECT_FALSE(read.error().message.empty());
  }
}

TEST(PlanJson, TheSentenceNamesThePlace) {
  Json json = sample();
  json["steps"][1]["extents"][0] = 7;
  const auto read = from_json(json);
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().message.find("plan.steps[1].extents[0]"), std::string::npos) << read.error().message;
}

TEST(PlanJson, OtherKindsOfJsonAreRefused) {
  for (const char* text : {"null", "3", "[]", "{}", "{\"schema\": 3}", "{\"schema\": \"stitchcuda.plan/1\"}"}) {
    EXPECT_FALSE(from_json(parse_json(text, "plan.json").value()).has_value()) << text;
  }
}

TEST(Plan, KeepsSettingsOfAnotherSize) {
  const auto large = ir::parse(
      "graph g mode=eval\nx: f32[4096,4096] = input \"x\"\nw: f32[4096,4096] = parameter \"w\"\n"
      "h = linear(x, w, none)\nreturn output \"0\" = h\n",
      "large");
  const auto small = ir::parse(
      "graph g mode=eval\nx: f32[130,131] = input \"x\"\nw: f32[133,131] = parameter \"w\"\n"
      "h = linear(x, w, none)\nreturn output \"0\" = h\n",
      "small");
  const Plan chosen = make_plan(*large, {}).value();
  PlanOptions options;
  options.like = &chosen;
  const Plan kept = make_plan(*small, options).value();
  EXPECT_EQ(kept.steps[0].setting.variant, chosen.steps[0].setting.variant);
  EXPECT_TRUE(from_json(to_json(kept)).has_value());
}

}  // namespace
}  // namespace stitch::plan

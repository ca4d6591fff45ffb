// SPDX-License-Identifier: Apache-2.0
// From what workers answer to what a trainer is told.
#include "service/outcome/response.h"

#include <gtest/gtest.h>

#include "service/outcome/judged.h"

namespace stitch::service {
namespace {

farm::JobResult ended(int exit_code = 0) {
  farm::JobResult result;
  result.exit_code = exit_code;
  result.seconds = 2;
  result.answer = std::string(64, 'a');
  result.worker = "w";
  result.device = "NVIDIA H200";
  return result;
}

Json right_on_gpu(const char* refusal = "") {
  return {{"verdict", {{"kind", "ok"}, {"reason", "21 draws"}, {"detail", ""}}},
          {"feedback", "The answer is right."},
          {"candidate", {{"class", "clean"}}},
          {"measured",
           {{"faster", "graph"},
            {"refusal", refusal},
            {"floor_us", 50},
            {"plain", {{"us", 110}, {"high_us", 111}, {"spread", 0.01}}},
            {"graph", {{"us", 100}, {"high_us", 102}, {"spread", 0.02}}},
            {"baseline", {{"name", "eager"}, {"us", 250}, {"speedup", 2.5}}}}}};
}

Json compiled_beside_it() { return {{"measured", {{"baseline", {{"name", "compile"}, {"us", 200}, {"speedup", 2}}}}}}; }

Json told(const Json& judged, const std::string& profile = "stitchcuda_v1") {
  AnswerFrame frame;
  frame.profile = profile;
  return response_of({.id = "ev-1", .status = "done", .total_s = 5}, frame, judged);
}

TEST(ResponseTest, TimesOfAGpuAreMedianSpeedupsAndAPessimisticReward) {
  Json judged = with_job(nothing_judged(false), Phase::kVerify, ended(), right_on_gpu());
  judged = with_times_or_nothing(with_job(judged, Phase::kBaseline, ended(), compiled_beside_it()));
  const Json answer = told(judged);
  EXPECT_EQ(answer["outcome"], "ok");
  EXPECT_EQ(answer["metrics"].dump(),
            R"({"compiled":1,"correct":1,"speedup_eager":2.5,"speedup_compile":2.0,"kernel_ms":0.1,"ref_ms":0.25,)"
            R"("noise_rel":0.02,"coverage":1.0})");
  EXPECT_NEAR(answer["reward"]["value"].get<double>(), 250.0 / 102 + 0.3, 1e-9);  // nobody marked it: times 1
  EXPECT_EQ(answer["timing"]["queue_s"], 1.0);
}

TEST(ResponseTest, ARightCandidateThatCouldNotBeTimedIsTheWorlds) {
  const Json judged =
      with_job(nothing_judged(false), Phase::kVerify, ended(), right_on_gpu("the clocks were throttled"));
  const Json answer = told(with_times_or_nothing(judged));
  EXPECT_EQ(answer["outcome"], "infra_error");
  EXPECT_TRUE(answer["reward"]["value"].is_null());
  EXPECT_NE(answer["sentence"].get<std::string>().find("the clocks were throttled"), std::string::npos);
  for (const auto& [name, value] : answer["metrics"].items()) {
    EXPECT_TRUE(value.is_null()) << name;
  }
}

TEST(ResponseTest, ATotalHackIsOneHoweverRight) {
  Json answer = right_on_gpu();
  answer["candidate"]["class"] = "total_hack";
  const Json answered = told(with_job(nothing_judged(false), Phase::kVerify, ended(), answer), "stitch_v1");
  EXPECT_EQ(answered["outcome"], "hack");
  EXPECT_EQ(answered["reward"]["value"], 0.0);
}

TEST(ResponseTest, WorkersAreNotBelieved) {
  for (const Json& answer : {Json(), Json(7), Json::array(), Json{{"verdict", {{"kind", "splendid"}}}},
                             Json{{"verdict", 7}}, Json{{"verdict", {{"kind", 7}}}}}) {
    EXPECT_EQ(told(with_job(nothing_judged(false), Phase::kVerify, ended(), answer))["outcome"], "infra_error");
  }
  Json odd = right_on_gpu();
  odd["measured"]["graph"]["us"] = -1;
  odd["measured"]["baseline"] = "fast";
  EXPECT_EQ(told(with_times_or_nothing(with_job(nothing_judged(false), Phase::kVerify, ended(), odd)))["outcome"],
            "infra_error");
}

TEST(ResponseTest, EveryKeyIsThereWhateverHappened) {
  AnswerFrame frame;
  frame.profile = "stitch_v1";
  const Json queued = response_of({.id = "ev-1", .status = "queued"}, frame, nothing_judged(false));
  const Json refused = told(judged_without_candidate(true, "no code"));
  const Json lost = told(judged_by_nobody(nothing_judged(false), "the queue burnt"));
  std::string keys;
  for (const auto& [key, value] : queued.items()) {
    keys += key + " ";
    EXPECT_TRUE(refused.contains(key) && lost.contains(key)) << key;
  }
  EXPECT_EQ(keys,
            "schema id request_id status outcome sentence reward trainable metrics rubric feedback evidence timing "
            "worker cache ");
  EXPECT_TRUE(queued["outcome"].is_null());
}

TEST(ResponseTest, FeedbackIsCutBetweenCharacters) {
  AnswerFrame frame;
  frame.profile = "stitch_v1";
  frame.output_kb = 1;
  std::string text(1023, 'a');
  Json judged = judged_without_candidate(false, "x");
  judged["feedback"] = text + "\xC3\xA9";
  const Json answer = response_of({.id = "", .status = "done"}, frame, judged);
  EXPECT_EQ(answer["feedback"]["text"], text);
  EXPECT_EQ(answer["feedback"]["truncated"], true);
}

TEST(ResponseTest, ProfilesThatNeedTimesAreKnown) {
  EXPECT_TRUE(needs_times("stitchcuda_v1"));
  EXPECT_TRUE(needs_times("cuda_agent_v1"));
  EXPECT_FALSE(needs_times("stitch_v1"));
}

}  // namespace
}  // namespace stitch::service

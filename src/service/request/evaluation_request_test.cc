// SPDX-License-Identifier: Apache-2.0
#include "service/request/evaluation_request.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch::service {
namespace {

Json good() {
  return parse_json(R"({"schema": "stitchcuda.eval/1", "request_id": "r", "task": {"id": "t", "skill": "generate"},
                        "candidate": {"format": "completion", "text": "x"}})",
                    "a request")
      .value();
}

// A sentence; "" where it is taken.
std::string refusal_with(const Json& change) {
  Json request = good();
  request.merge_patch(change);
  const Result<EvaluationRequest> read = read_evaluation_request(request, {}, "stitch_v1");
  return read.has_value() ? "" : read.error().message;
}

TEST(EvaluationRequestTest, WhatIsNotSaidIsTheService) {
  const EvaluationRequest request = read_evaluation_request(good(), {.verify_s = 7}, "stitch_v1").value();
  EXPECT_EQ(request.profile, "stitch_v1");
  EXPECT_EQ(request.run_id, "default");
  EXPECT_TRUE(request.has_verdict && request.is_timed && request.is_marked);
  EXPECT_EQ(request.limits.verify_s, 7);
}

TEST(EvaluationRequestTest, LimitsAreCapped) {
  Json request = good();
  request["limits"] = {{"verify_s", 1e9}, {"compile_s", 2.5}, {"mem_mb", 0.5}};
  const EvaluationRequest read = read_evaluation_request(request, {.verify_s = 7}, "stitch_v1").value();
  EXPECT_EQ(read.limits.verify_s, 7);
  EXPECT_EQ(read.limits.compile_s, 2.5);
  EXPECT_EQ(read.limits.mem_mb, 1);
}

TEST(EvaluationRequestTest, StagesSayHowFarToGo) {
  Json request = good();
  request["stages"] = {"extract"};
  EXPECT_FALSE(read_evaluation_request(request, {}, "stitch_v1").value().has_verdict);
  request["stages"] = {"extract", "verify"};
  const EvaluationRequest read = read_evaluation_request(request, {}, "stitch_v1").value();
  EXPECT_TRUE(read.has_verdict && !read.is_timed && !read.is_marked);
}

TEST(EvaluationRequestTest, EveryMistakeHasItsSentence) {
  EXPECT_EQ(refusal_with({{"schema", "stitchcuda.eval/2"}}), "schema is not stitchcuda.eval/1");
  EXPECT_EQ(refusal_with({{"request_id", nullptr}}), "request_id is missing: it makes a second post harmless");
  EXPECT_EQ(refusal_with({{"request_id", 7}}), "the request.request_id is no text of at most 200 bytes");
  EXPECT_EQ(refusal_with({{"tusk", 1}}), "the request has no member 'tusk'");
  EXPECT_EQ(refusal_with({{"task", nullptr}}), "task is missing");
  EXPECT_EQ(refusal_with({{"task", {{"id", nullptr}}}}), "task.id is missing");
  EXPECT_EQ(refusal_with({{"task", {{"code", "x"}}}}), "task has no member 'code'");
  EXPECT_EQ(refusal_with({{"task", {{"skill", "both"}}}}), "task.skill is 'both' and may be generate, refine");
  EXPECT_EQ(refusal_with({{"candidate", {{"format", "zip"}}}}),
            "candidate.format is 'zip' and may be completion, files");
  EXPECT_EQ(refusal_with({{"candidate", {{"format", "files"}}}}),
            "a candidate has text where it is a completion, and files where it is files");
  EXPECT_EQ(refusal_with({{"trial", {{"run_id", "a b"}}}}),
            "trial.run_id is no name of printable characters without spaces");
  EXPECT_EQ(refusal_with({{"stages", {"compile"}}}),
            "stages is a list with extract alone, or with verify: a program is compiled to be judged");
  EXPECT_EQ(refusal_with({{"limits", {{"verify_s", -1}}}}), "limits.verify_s is no number above zero");
  EXPECT_EQ(refusal_with({{"limits", {{"verify_s", "1"}}}}), "limits.verify_s is no number above zero");
  EXPECT_EQ(refusal_with({{"reward", {{"profile", "v0"}}}}),
            "there is no reward profile 'v0'; there are stitchcuda_v1, cuda_agent_v1, stitch_v1");
  EXPECT_EQ(refusal_with({{"cache", "some"}}), "the request.cache is 'some' and may be all, correctness, none");
  EXPECT_EQ(refusal_with({{"trial", {{"step", 3}, {"group_id", "g"}}}}), "");
  for (const char* text : {"[]", "null", "7", "\"x\""}) {
    EXPECT_FALSE(read_evaluation_request(parse_json(text, "").value(), {}, "stitch_v1").has_value()) << text;
  }
}

}  // namespace
}  // namespace stitch::service

// SPDX-License-Identifier: Apache-2.0
#include "agents/retrieval/retriever.h"

#include <gtest/gtest.h>

#include "agents/retrieval/question.h"
#include "base/fs/files.h"

namespace stitch::agents {
namespace {

namespace fs = std::filesystem;

class Retrieving : public ::testing::Test {
 protected:
  TemporaryDirectory folder_ = TemporaryDirectory::make("retriever").value();
  knowledge::Places places_{.cards = fs::path(STITCH_SOURCE_DIR) / "knowledge" / "cards",
                            .own = folder_.path() / "own",
                            .index = folder_.path() / "index.sqlite"};
};

TEST_F(Retrieving, FindsFewPassagesOfAKnownSize) {
  Retriever retriever(places_);
  const Found found = retriever.look_up(knowledge::ErrorQuery{"step.cu(7): error: identifier \"n\" is undefined"});
  EXPECT_NE(found.text.find("[card:"), std::string::npos) << found.text;
  EXPECT_LE(found.text.size(), kMaxDocumentsBytes);
  EXPECT_EQ(found.note, "");
}

TEST_F(Retrieving, AnIndexThatCannotBeOpenedIsANoteOnce) {
  ASSERT_TRUE(write_file(places_.own / "folders.json", "{").has_value());
  Retriever retriever(places_);
  EXPECT_NE(retriever.look_up(knowledge::TextQuery{"coalescing"}).note, "");
  EXPECT_EQ(retriever.look_up(knowledge::TextQuery{"coalescing"}).note, "");
}

TEST_F(Retrieving, WithoutPlacesNothingIsLookedUp) {
  const Found found = Retriever({}).look_up(knowledge::TextQuery{"coalescing"});
  EXPECT_EQ(found.text + found.note, "");
}

TEST(Question, IsTheLogOfAFailureAndTheProfileOfWhatIsRight) {
  const std::vector<StepFacts> profile = {{.step = "a", .us = 9, .limiter = Limiter::kCompute, .kind = "gemm"},
                                          {.step = "b", .us = 1, .limiter = Limiter::kMemory, .kind = "softmax"}};
  const Attempt failed{.outcome = Outcome::kNotCompiled, .fingerprint = "short", .changed = {"b"}};
  const Attempt right{.outcome = Outcome::kRight, .changed = {"b"}};
  EXPECT_EQ(std::get<knowledge::ErrorQuery>(*question_about(failed, "long", profile, "sm_90a")).log, "long");
  EXPECT_EQ(std::get<knowledge::ErrorQuery>(*question_about(failed, "", profile, "sm_90a")).log, "short");
  EXPECT_EQ(std::get<knowledge::ProfileQuery>(*question_about(right, "", profile, "sm_90a")).step_kind, "softmax");
  EXPECT_FALSE(question_about(right, "", {}, "sm_90a").has_value());
}

}  // namespace
}  // namespace stitch::agents

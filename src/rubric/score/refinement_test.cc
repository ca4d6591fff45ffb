// SPDX-License-Identifier: Apache-2.0
// A refinement beside the candidate that the feedback was given to.
#include <gtest/gtest.h>

#include "rubric/criteria/criterion.h"

namespace stitch::rubric {
namespace {

SourceFacts source(const std::vector<SourceFeature>& features, size_t kernels = 1) {
  SourceFacts facts;
  facts.features = features;
  facts.kernels.assign(kernels, "product program.cu:1");
  return facts;
}

const SourceFacts kPlain = source({{"cache_hint", 2, "program.cu:1"}});
const SourceFacts kTiled =
    source({{"shared_memory", 2, "program.cu:4"}, {"barrier", 2, "program.cu:9"}, {"cache_hint", 2, "program.cu:1"}});

Facts refined(const SourceFacts& before, const SourceFacts& now, const std::string& feedback) {
  Facts facts;
  facts.skill = Skill::kRefinement;
  facts.candidate = "sources";
  facts.verdict = Verdict{VerdictKind::kOk, "21 draws", {}};
  facts.feedback = feedback;
  facts.before = before;
  facts.source = now;
  LaunchRecord kernel;
  kernel.name = "product";
  kernel.line = 3;
  kernel.launches = 1;
  kernel.threads = 4096;
  kernel.blocks = 16;
  kernel.nanoseconds = 1000;
  kernel.barriers = now.feature("barrier") == nullptr ? 0 : 64;
  kernel.shared_bytes = now.feature("shared_memory") == nullptr ? 0 : 2048;
  facts.launches.emplace().add({kernel});
  return facts;
}

TEST(Refinement, WhatWasAskedForAndIsNewIsWorthAll) {
  const Mark mark = score_refinement(refined(kPlain, kTiled, "Keep tiles in shared memory."));
  EXPECT_EQ(mark.points, 5) << mark.reason;
  EXPECT_EQ(mark.reason, "since the previous candidate: shared memory (new)");
}

TEST(Refinement, AnUnchangedTextIsWorthNothing) {
  const Mark mark = score_refinement(refined(kTiled, kTiled, "Keep tiles in shared memory."));
  EXPECT_EQ(mark.points, 1) << mark.reason;
}

TEST(Refinement, WhatStoodThereBeforeIsHalfAnAnswer) {
  SourceFacts now = kTiled;
  now.features.push_back({"vector_access", 3, "program.cu:7"});
  const Mark mark = score_refinement(refined(kTiled, now, "Keep tiles in shared memory."));
  EXPECT_EQ(mark.points, 3) << mark.reason;
  EXPECT_EQ(mark.reason, "since the previous candidate: shared memory (there before as well)");
}

TEST(Refinement, ChangesThatNobodyAskedForAreNoAnswer) {
  SourceFacts now = kPlain;
  now.features.push_back({"vector_access", 3, "program.cu:7"});
  EXPECT_EQ(score_refinement(refined(kPlain, now, "Keep tiles in shared memory.")).points, 1);
}

TEST(Refinement, WhatTheFeedbackWantsGoneMustHaveBeenThere) {
  const SourceFacts waiting = source({{"waits", 1, "program.cu:20"}});
  const SourceFacts quick = source({{"cache_hint", 1, "program.cu:1"}});
  EXPECT_EQ(score_refinement(refined(waiting, quick, "Do not wait: drop the synchronization.")).points, 5);
  EXPECT_EQ(score_refinement(refined(kPlain, quick, "Do not wait: drop the synchronization.")).points, 3);
}

TEST(Refinement, FewerLaunchesComeFromFewerKernels) {
  EXPECT_EQ(score_refinement(refined(source({}, 3), source({}, 1), "Fuse them into a single kernel.")).points, 5);
}

TEST(Refinement, WordsWithinOtherWordsAskForNothing) {
  for (const char* feedback : {"The volatile gamma of the summary is refused.", "Percentiles are confused."}) {
    EXPECT_FALSE(score_refinement(refined(kPlain, kTiled, feedback)).points.has_value()) << feedback;
  }
  EXPECT_EQ(score_refinement(refined(kPlain, kTiled, "Re-use data: sub-tiles, please.")).points, 5);
}

TEST(Refinement, SharedMemoryInWhichNothingIsSharedIsNoAnswer) {
  SourceFacts now = kTiled;
  now.shared_arrays = now.idle_shared_arrays = 1;
  now.idle = {"tile of program.cu:4 in shared memory: each thread touches its own slot alone"};
  const Facts facts = refined(kPlain, now, "Keep tiles in shared memory.");
  EXPECT_EQ(score_refinement(facts).points, 1);
  EXPECT_EQ(score_feedback(facts).points, 1);
}

TEST(Refinement, SaysWhyThereIsNoMark) {
  Facts facts = refined(kPlain, kTiled, "Keep tiles in shared memory.");
  facts.before.reset();
  EXPECT_FALSE(score_refinement(facts).points.has_value());
  facts = refined(kPlain, kTiled, "Be faster.");
  EXPECT_FALSE(score_refinement(facts).points.has_value());
  facts = refined(kPlain, kTiled, "Keep tiles in shared memory.");
  facts.skill = Skill::kScratch;
  EXPECT_FALSE(score_refinement(facts).points.has_value());
}

}  // namespace
}  // namespace stitch::rubric

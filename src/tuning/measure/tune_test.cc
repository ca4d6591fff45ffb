// SPDX-License-Identifier: Apache-2.0
// The budget and the database around measuring; the times are literal numbers.
#include "tuning/measure/tune.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "base/fs/files.h"

namespace stitch::tuning {
namespace {

const Context kHere{"NVIDIA H200", "nvcc 13.0", "fp32"};
const std::vector<Trial> kTrials = {{0, "first", {"a", 1}}, {0, "first", {"b", 1}}, {1, "second", {"a", 1}}};

class Tune : public ::testing::Test {
 protected:
  // Each measurement takes ten seconds of a clock that only measuring moves.
  Result<TuneResult> run(double budget_seconds) {
    TuneOptions options;
    options.budget_seconds = budget_seconds;
    options.jobs = jobs_;
    options.clock = [this] { return now_; };
    options.build = [this](const Trial&) -> Result<void> {
      ++built_;
      now_ += build_seconds_;
      return {};
    };
    options.measure = [this](const Trial& trial) -> Result<std::optional<Measurement>> {
      now_ += 10;
      ++asked_;
      EXPECT_GE(built_, asked_) << "timed before it was built";
      if (unsteady_ == trial.setting.variant) {
        return std::optional<Measurement>{};
      }
      return std::optional(Measurement{trial.setting.variant == "a" ? 3.0 : 2.0, 0.1});
    };
    options.record = record_;
    return tune(kTrials, kHere, database_, options);
  }

  TemporaryDirectory folder_ = TemporaryDirectory::make("stitchcuda-tune").value();
  TuningDatabase database_ = TuningDatabase::open(folder_.path() / "times.sqlite").value();
  double now_ = 100;
  int asked_ = 0;
  int built_ = 0;
  int jobs_ = 1;
  std::function<Result<StepRecord>(const Trial&)> record_;
  double build_seconds_ = 0;
  std::string unsteady_;  // the variant whose times are no good
};

TEST_F(Tune, MeasuresOnceAndKeeps) {
  const TuneResult first = run(1000).value();
  EXPECT_EQ(first.measured, 3);
  EXPECT_EQ(first.known, 0);
  EXPECT_EQ(database_.find(kHere, "first", {"b", 1}).value()->median_us, 2.0);
  const TuneResult second = run(1000).value();
  EXPECT_EQ(second.known, 3);
  EXPECT_EQ(second.measured, 0);
  EXPECT_EQ(asked_, 3);
}

TEST_F(Tune, KeepsWhatWasTimed) {
  record_ = [](const Trial& trial) -> Result<StepRecord> {
    return StepRecord{"gemm", "family of " + trial.signature, {64}, 1.5, "graph g", 0};
  };
  ASSERT_TRUE(run(1000).has_value());
  const auto all = database_.all().value();
  ASSERT_EQ(all.size(), 3U);
  for (const KnownTime& time : all) {
    ASSERT_TRUE(time.record.has_value());
    EXPECT_EQ(time.record->family, "family of " + time.signature);
  }
}

TEST_F(Tune, EndsWithItsBudget) {
  const TuneResult result = run(5).value();
  EXPECT_EQ(result.measured, 1);
  EXPECT_EQ(result.left, 2);
  EXPECT_EQ(database_.size().value(), 1);
  EXPECT_EQ(run(1000).value().measured, 2);  // the rest, later
}

TEST_F(Tune, NothingIsTriedWithoutABudget) {
  EXPECT_EQ(run(0).value().measured, 0);
  EXPECT_EQ(built_, 0);
}

// Building may use up a budget: what it built is then measured all the same, for as long again.
TEST_F(Tune, MeasuresWhatIsBuilt) {
  jobs_ = 3;
  EXPECT_EQ(run(6).value().measured, 2);  // begun at 0 and at 10, not at 20
  EXPECT_EQ(built_, 3);
  EXPECT_EQ(run(15).value().measured, 1);
}

// Slow compilers leave no budget: what they made by its end is measured for as long as the budget itself would last.
TEST_F(Tune, MeasuresWhatWasSlowToBuild) {
  build_seconds_ = 40;
  const TuneResult result = run(15).value();
  EXPECT_EQ(result.measured, 1);
  EXPECT_EQ(result.left, 2);
  EXPECT_EQ(built_, 1);
}

TEST_F(Tune, UnsteadyTimesAreNotKept) {
  unsteady_ = "b";
  const TuneResult result = run(1000).value();
  EXPECT_EQ(result.measured, 2);
  EXPECT_EQ(result.left, 1);
  EXPECT_FALSE(database_.find(kHere, "first", {"b", 1}).value().has_value());
}

// What starts one while another is timed comes to the same; the clock stands still for it.
TEST_F(Tune, SeveralAtATimeAreKeptAsOneByOne) {
  std::atomic<int> asked = 0;
  TuneOptions options;
  options.jobs = 3;
  options.measuring_jobs = 3;
  options.clock = [] { return 0.0; };
  options.measure = [&](const Trial& trial) -> Result<std::optional<Measurement>> {
    ++asked;
    return std::optional(Measurement{trial.setting.variant == "a" ? 3.0 : 2.0, 0.1});
  };
  std::vector<int> done;
  options.progress = [&](const Trial&, const Measurement&, int number, int) { done.push_back(number); };
  EXPECT_EQ(tune(kTrials, kHere, database_, options).value().measured, 3);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(done, (std::vector<int>{1, 2, 3}));
  for (const Trial& trial : kTrials) {
    EXPECT_EQ(database_.find(kHere, trial.signature, trial.setting).value()->median_us,
              trial.setting.variant == "a" ? 3.0 : 2.0);
  }
}

TEST_F(Tune, AFailingWorldIsAnError) {
  TuneOptions options;
  options.clock = [] { return 0.0; };
  options.measure = [](const Trial&) -> Result<std::optional<Measurement>> {
    return failure(ErrorCode::kEnvironment, "the GPU was lost");
  };
  const auto result = tune(kTrials, kHere, database_, options);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message, "the GPU was lost");
}

}  // namespace
}  // namespace stitch::tuning

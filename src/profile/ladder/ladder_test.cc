// SPDX-License-Identifier: Apache-2.0
#include "profile/ladder/ladder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "profile/judge/bottlenecks.h"
#include "profile/judge/occupancy.h"
#include "profile/ladder/join_launches.h"
#include "profile/values/metrics.h"

namespace stitch::profile {
namespace {

Kernel kernel(const std::string& name, double us) { return {.name = name, .launches = 1, .time_us = us}; }

Rung rung(RungKind kind, bool is_here = true) {
  return {kind, [=] { return Availability{is_here, is_here ? "" : "not installed", ""}; },
          [=]() -> Result<Measurement> { return Measurement{.rung = kind, .kernels = {kernel("k", 5)}}; }};
}

TEST(Ladder, TheBestRungThatIsHereIsTakenAndTheOthersSayWhyNot) {
  const auto climbed = climb({rung(RungKind::kRoofline), rung(RungKind::kNcu, false), rung(RungKind::kCupti)});
  ASSERT_TRUE(climbed.has_value());
  EXPECT_EQ(climbed->measured.rung, RungKind::kCupti);
  ASSERT_EQ(climbed->rungs.size(), all_rungs().size());
  EXPECT_EQ(climbed->rungs[0].why_not, "not installed");
  EXPECT_TRUE(climbed->rungs[1].is_taken);
  EXPECT_TRUE(climbed->rungs.back().is_here);
  EXPECT_FALSE(climbed->rungs.back().is_taken);
}

TEST(Ladder, ARungThatFailsSaysWhyAndTheNextIsTaken) {
  Rung failing = rung(RungKind::kNcu);
  failing.collect = []() -> Result<Measurement> { return failure(ErrorCode::kEnvironment, "ERR_NVGPUCTRPERM"); };
  const auto climbed = climb({failing, rung(RungKind::kRoofline)});
  ASSERT_TRUE(climbed.has_value());
  EXPECT_EQ(climbed->measured.rung, RungKind::kRoofline);
  EXPECT_EQ(climbed->rungs[0].why_not, "ERR_NVGPUCTRPERM");
  EXPECT_FALSE(climb({failing, rung(RungKind::kRoofline)}, RungKind::kNcu).has_value());
}

TEST(Ladder, NoFigureThatIsNoCountIsTaken) {
  for (const double us : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    const Measurement measured{.rung = RungKind::kNcu, .kernels = {kernel("k", us)}};
    EXPECT_FALSE(check_measurement(measured, RungKind::kNcu).has_value()) << us;
  }
  EXPECT_FALSE(check_measurement(Measurement{.rung = RungKind::kNcu}, RungKind::kCupti).has_value());
}

TEST(Metrics, ThereAreTwentyFourAndEachNameMeansOne) {
  size_t told = 0;
  for (const Metric& metric : all_metrics()) {
    told += metric.is_told ? 1 : 0;
    for (const std::string& name : metric.names) {
      EXPECT_EQ(metric_of(name), &metric) << name;
    }
  }
  EXPECT_EQ(told, 24U);
}

TEST(Metrics, OfOtherNamesTheOneThatTheChipHasIsAskedFor) {
  const std::vector<std::string> asked = names_to_ask({"smsp__inst_executed", "dram__bytes_read"});
  const std::vector<std::string> expected = {"launch__occupancy_limit_blocks",
                                             "launch__occupancy_limit_registers",
                                             "launch__occupancy_limit_shared_mem",
                                             "launch__registers_per_thread",
                                             "smsp__inst_executed.sum",
                                             "dram__bytes_read.sum",
                                             "launch__block_size",
                                             "launch__grid_size",
                                             "launch__occupancy_limit_warps",
                                             "launch__shared_mem_per_block_static",
                                             "launch__shared_mem_per_block_dynamic"};
  EXPECT_EQ(asked, expected);
}

// H200: 4800 GB/s, 67 TFLOP/s.
Bound bound(double us, double bytes, double flops) {
  Kernel each = kernel("k", us);
  each.bytes = bytes;
  each.flops = flops;
  return bound_of(each, *kernels::device_limits("H200")).bound;
}

TEST(Bounds, AreDecidedByShares) {
  EXPECT_EQ(bound(100, 400e6, 1e9), Bound::kMemory);  // 83 % of the memory's rate
  EXPECT_EQ(bound(100, 1e6, 5e9), Bound::kCompute);   // 75 % of the pipe's
  EXPECT_EQ(bound(100, 50e6, 1e9), Bound::kLatency);  // 10 % and 15 %
  EXPECT_EQ(bound(1.5, 7e6, 1e6), Bound::kHost);      // shorter than a launch costs
  EXPECT_EQ(bound(100, std::nan(""), 0), Bound::kLatency);
  EXPECT_EQ(bound_of(kernel("k", 100), *kernels::device_limits("H200")).bound, Bound::kUnknown);
}

TEST(Bottlenecks, AreThreeAtMostTheGreatestGainFirst) {
  Measurement measured{.rung = RungKind::kCupti};
  for (const double us : {40.0, 30.0, 20.0, 10.0}) {
    measured.kernels.push_back(kernel("k" + std::to_string(static_cast<int>(us)), us));
    measured.kernels.back().floor_us = us / 2;
  }
  measured.system = SystemFigures{.wall_us = 150, .busy_us = 100, .launches = 4};
  const std::vector<Bottleneck> found = bottlenecks_of(measured, *kernels::device_limits("H200"));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].subject, "the host");
  EXPECT_DOUBLE_EQ(found[0].gain, 1.5);
  EXPECT_EQ(found[1].subject, "kernel k40");
  EXPECT_DOUBLE_EQ(found[1].gain_us, 20);
  EXPECT_EQ(found[2].subject, "kernel k30");
}

TEST(Occupancy, IsWhatTheProgrammingGuidesCalculationGives) {
  const auto of = [](double threads, double registers, double shared) {
    return occupancy_of({.block_threads = threads, .registers = registers, .static_shared = shared}, "sm_90a");
  };
  EXPECT_EQ(of(256, 32, 0)->limit, "registers");  // 8 blocks by registers and by threads: the first is told
  EXPECT_DOUBLE_EQ(of(256, 32, 0)->share, 1);
  EXPECT_EQ(of(256, 128, 0)->blocks, 2);
  EXPECT_DOUBLE_EQ(of(256, 128, 0)->share, 0.25);
  EXPECT_EQ(of(128, 32, 100 * 1024)->limit, "shared memory");
  EXPECT_EQ(of(128, 32, 100 * 1024)->blocks, 2);
  EXPECT_EQ(of(32, 16, 0)->limit, "block slots");
  EXPECT_FALSE(of(1024, 255, 0).has_value());
  EXPECT_FALSE(of(128, 32, 300 * 1024).has_value());
  EXPECT_FALSE(of(0, 32, 0).has_value());
}

TEST(JoinLaunches, BelongToStepsInOrderWhereThereAreAsManyAsPlanned) {
  const std::vector<StepWork> steps = {{.step = 1, .launches = 2, .bytes = 100, .flops = 7, .floor_us = 1},
                                       {.step = 2, .launches = 1, .bytes = 50, .floor_us = 1}};
  Measurement measured{.rung = RungKind::kCupti, .kernels = {kernel("a", 3), kernel("a", 4), kernel("b", 5)}};
  join_launches(steps, measured);
  ASSERT_EQ(measured.kernels.size(), 2U);
  EXPECT_EQ(measured.kernels[0].step, 1);
  EXPECT_DOUBLE_EQ(measured.kernels[0].launches, 2);
  EXPECT_DOUBLE_EQ(*measured.kernels[0].time_us, 7);
  EXPECT_DOUBLE_EQ(*measured.kernels[0].bytes, 100);
  EXPECT_TRUE(measured.notes.empty());
  Measurement more{.rung = RungKind::kCupti, .kernels = {kernel("a", 3), kernel("b", 4)}};
  join_launches(steps, more);
  EXPECT_EQ(more.kernels[0].step, -1);
  EXPECT_EQ(more.notes.size(), 1U);
}

std::vector<int> steps_of(const std::vector<StepWork>& steps, std::initializer_list<int> known) {
  Measurement measured{.rung = RungKind::kCupti};
  for (const int step : known) {
    measured.kernels.push_back(kernel("k" + std::to_string(measured.kernels.size()), 1));
    measured.kernels.back().step = step;
  }
  join_launches(steps, measured);
  std::vector<int> found;
  for (const Kernel& each : measured.kernels) {
    found.push_back(each.step);
  }
  EXPECT_EQ(measured.notes.empty(), std::count(found.begin(), found.end(), -1) == 0);
  return found;
}

TEST(JoinLaunches, OfALibraryBelongToTheOneStepBetweenThoseThatAreKnown) {
  const std::vector<StepWork> steps = {{.step = 3, .launches = 1, .uses_library = true},
                                       {.step = 4, .launches = 1},
                                       {.step = 5, .launches = 1, .uses_library = true},
                                       {.step = 6, .launches = 1},
                                       {.step = 7, .launches = 1},
                                       {.step = 8, .launches = 1}};
  EXPECT_EQ(steps_of(steps, {-1, -1, 4, -1, -1, -1, 6, -1, 8}), (std::vector<int>{3, 3, 4, 5, 5, 5, 6, 7, 8}));
  // A launch behind one of the library's own may be its or the next step's; two steps in a row may both have launched.
  EXPECT_EQ(steps_of(steps, {-1, 4, 5, -1, 7, 8, 8}), (std::vector<int>{3, 4, 5, -1, 7, 8, 8}));
  EXPECT_EQ(steps_of(steps, {-1, 4, -1, 5, 5, -1, 5, -1, 8}), (std::vector<int>{3, 4, 5, 5, 5, 5, 5, -1, 8}));
  // Streams side by side: nothing lies between a later step and an earlier one.
  EXPECT_EQ(steps_of(steps, {-1, 4, 6, -1, 4}), (std::vector<int>{3, 4, 6, -1, 4}));
}

}  // namespace
}  // namespace stitch::profile

// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/call_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/json/json.h"

namespace stitch::evaluate {
namespace {

constexpr uint64_t kSeeds = 300;

ScheduleRequest request_of(uint64_t seed) {
  ScheduleRequest request;
  request.seed = seed;
  request.draws = 3;
  request.combines = request.makes_contents = true;
  return request;
}

// The most calls after one prepare() before another that changes parameters.
size_t longest_before_a_change(const CallSchedule& schedule) {
  size_t longest = 0;
  size_t since = 0;
  for (size_t i = 1; i < schedule.calls.size(); ++i) {
    ++since;
    if (schedule.calls[i].settings.prepares) {
      const bool is_change = schedule.calls[i].parameters != schedule.calls[i - 1].parameters;
      longest = is_change ? std::max(longest, since) : longest;
      since = 0;
    }
  }
  return longest;
}

TEST(CallSchedule, FollowsFromTheSeed) {
  const auto numbers = [](uint64_t seed) {
    std::vector<uint64_t> numbers;
    for (const ScheduledCall& call : draw_schedule(request_of(seed)).calls) {
      numbers.insert(numbers.end(), {static_cast<uint64_t>(call.contents), static_cast<uint64_t>(call.parameters),
                                     call.settings.prepares ? 1U : 0U, call.settings.rng_seed});
    }
    return numbers;
  };
  EXPECT_EQ(numbers(7), numbers(7));
  EXPECT_NE(numbers(7), numbers(8));
}

TEST(CallSchedule, NoNumberOfCallsIsEnough) {
  std::vector<size_t> lengths;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    lengths.push_back(draw_schedule(request_of(seed)).calls.size());
  }
  std::sort(lengths.begin(), lengths.end());
  EXPECT_GE(lengths.front(), 40U);
  EXPECT_LT(lengths.front(), 50U);
  EXPECT_GT(lengths.back(), 350U);
  EXPECT_GT(lengths[kSeeds / 2], 90U);
  EXPECT_GT(std::set<size_t>(lengths.begin(), lengths.end()).size(), 100U);
}

TEST(CallSchedule, EverySecondCallHasContentsThatNeverCameBefore) {
  size_t calls = 0;
  size_t made = 0;
  size_t kinds[4] = {};
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const CallSchedule schedule = draw_schedule(request_of(seed));
    calls += schedule.calls.size();
    made += schedule.contents.size() - 3;
    int known = 2;
    for (const ScheduledCall& call : schedule.calls) {
      ASSERT_LE(call.contents, known + 1);
      known = std::max(known, call.contents);
    }
    ASSERT_EQ(static_cast<size_t>(known) + 1, schedule.contents.size()) << "each is called with";
    for (size_t i = 0; i < schedule.contents.size(); ++i) {
      const ScheduledContents& contents = schedule.contents[i];
      ++kinds[static_cast<int>(contents.kind)];
      const bool is_drawn = contents.kind == ContentsKind::kDrawn;
      ASSERT_TRUE(is_drawn ? i < 3 : contents.base < static_cast<int>(i));
      ASSERT_TRUE(is_drawn || contents.base > 2 || contents.base != contents.other) << "of one draw alone";
    }
  }
  EXPECT_NEAR(static_cast<double>(made) / static_cast<double>(calls), 0.5, 0.03);
  EXPECT_GT(kinds[1], kinds[2]);
  EXPECT_NEAR(static_cast<double>(kinds[2]) / static_cast<double>(kinds[3]), 1.0, 0.1);
}

TEST(CallSchedule, PreparesComeAfterTwoCallsOrAfterAHundred) {
  size_t same_contents_other_parameters = 0;
  size_t prepared_alike = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const CallSchedule schedule = draw_schedule(request_of(seed));
    ASSERT_TRUE(schedule.calls.front().settings.prepares);
    ASSERT_GE(longest_before_a_change(schedule), schedule.calls.size() / 6);
    for (size_t i = 1; i < schedule.calls.size(); ++i) {
      const ScheduledCall& before = schedule.calls[i - 1];
      const ScheduledCall& call = schedule.calls[i];
      const bool is_other = before.parameters != call.parameters;
      ASSERT_TRUE(call.settings.prepares || !is_other);
      same_contents_other_parameters += is_other && before.contents == call.contents ? 1 : 0;
      prepared_alike += call.settings.prepares && !is_other ? 1 : 0;
    }
  }
  EXPECT_GT(same_contents_other_parameters, kSeeds);
  EXPECT_GT(prepared_alike, kSeeds);
}

TEST(CallSchedule, SlowProgramsAreAskedLessAndTheReferenceToo) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    ScheduleRequest request = request_of(seed);
    request.call_seconds = 20;
    const size_t slow = draw_schedule(request).calls.size();
    EXPECT_GE(slow, 3U);
    EXPECT_LE(slow, 10U);
    request.call_seconds = 0;
    request.reference_seconds = 20;
    const CallSchedule schedule = draw_schedule(request);
    std::set<std::pair<int, int>> asked;
    for (const ScheduledCall& call : schedule.calls) {
      if (call.is_judged && call.contents != call.parameters) {
        asked.insert({call.contents, call.parameters});
      }
      const bool has_integers = schedule.contents[static_cast<size_t>(call.contents)].has_integers;
      ASSERT_TRUE(call.is_judged || !has_integers) << "nobody says whether the program takes such integers";
    }
    ASSERT_EQ(asked.size(), 4U);
  }
}

TEST(CallSchedule, EveryCallIsJudgedWhereTheReferenceIsQuick) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    ScheduleRequest request = request_of(seed);
    request.reference_seconds = 0.02;
    const CallSchedule schedule = draw_schedule(request);
    ASSERT_TRUE(std::ranges::all_of(schedule.calls, &ScheduledCall::is_judged));
  }
}

TEST(CallSchedule, TheLastTwoDrawsParametersFollowEachOther) {
  int without = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    ScheduleRequest request = request_of(seed);
    request.draws = 4;
    const CallSchedule schedule = draw_schedule(request);
    std::set<std::pair<int, int>> followed;
    for (size_t i = 1; i < schedule.calls.size(); ++i) {
      followed.insert({schedule.calls[i - 1].parameters, schedule.calls[i].parameters});
    }
    without += followed.count({2, 3}) + followed.count({3, 2}) == 0 ? 1 : 0;
  }
  EXPECT_LT(without, kSeeds / 5);
}

TEST(CallSchedule, WithoutAReferenceContentsComeWithTheirOwnParameters) {
  ScheduleRequest request = request_of(3);
  request.combines = request.makes_contents = false;
  const CallSchedule schedule = draw_schedule(request);
  EXPECT_EQ(schedule.contents.size(), 3U);
  int changes = 0;
  for (size_t i = 0; i < schedule.calls.size(); ++i) {
    ASSERT_EQ(schedule.calls[i].contents, schedule.calls[i].parameters);
    changes += i > 0 && schedule.calls[i].contents != schedule.calls[i - 1].contents ? 1 : 0;
  }
  EXPECT_GT(changes, 5);
  request.draws = 1;
  EXPECT_GE(draw_schedule(request).calls.size(), 40U);
  request.draws = 0;
  EXPECT_TRUE(draw_schedule(request).calls.empty());
}

}  // namespace
}  // namespace stitch::evaluate

// SPDX-License-Identifier: Apache-2.0
#include "artifact/report/listed_launches.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch {
namespace {

LaunchRecord kernel(const std::string& name, int64_t threads) {
  LaunchRecord record;
  record.name = name;
  record.line = 3;
  record.launches = 1;
  record.threads = threads;
  record.shared_bytes = threads;
  return record;
}

LaunchRecord copy() {
  LaunchRecord record;
  record.name = "cudaMemcpyAsync";
  record.launches = 1;
  return record;
}

TEST(ListedLaunches, CallsAreAddedUpByKernel) {
  ListedLaunches launches;
  launches.add({kernel("product", 32), copy()});
  launches.add({kernel("product", 64), kernel("sum", 32)});
  ASSERT_EQ(launches.records.size(), 3U);
  EXPECT_EQ(launches.records.front().launches, 2);
  EXPECT_EQ(launches.records.front().threads, 96);
  EXPECT_EQ(launches.records.front().shared_bytes, 64);
  EXPECT_EQ(launches.calls, 2);
  EXPECT_EQ(launches.calls_without_work, 0);
}

TEST(ListedLaunches, ACallThatTheMachineMadeLongCountsAsTheOthers) {
  ListedLaunches launches;
  for (const int64_t nanoseconds : {100, 90, 1'000'000, 110, 100}) {
    LaunchRecord record = kernel("product", 32);
    record.nanoseconds = nanoseconds;
    launches.add({record});
  }
  EXPECT_EQ(launches.records.front().nanoseconds, 500);
}

TEST(ListedLaunches, ACopyAndALaunchOfNoBlockAreNoWork) {
  ListedLaunches launches;
  launches.add({kernel("product", 32)});
  launches.add({copy()});
  launches.add({kernel("product", 0)});
  launches.add({});
  EXPECT_EQ(launches.calls, 4);
  EXPECT_EQ(launches.calls_without_work, 3);
}

// Whoever names another kernel in each call, or says that each did all that a number can say.
TEST(ListedLaunches, SumsStayWithinWhatIsReadBack) {
  ListedLaunches launches;
  for (int call = 0; call < 5000; ++call) {
    launches.add({kernel("k" + std::to_string(call), kMaxLaunchNumber), kernel("product", kMaxLaunchNumber)});
  }
  Json json = Json::object();
  add_launches(launches, json);
  const auto read = listed_launches_from_json(json);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->records.size(), kMaxLaunchRecords);
  EXPECT_EQ(read->calls, 5000);
}

TEST(ListedLaunches, OlderFactsAreOfOneCall) {
  const auto read = listed_launches_from_json({{"launches", to_json({copy()})}});
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->calls, 1);
  EXPECT_EQ(read->calls_without_work, 1);
  const Json impossible = {{"launches", Json::array()}, {"calls", {{"listed", 2}, {"without_work", 3}}}};
  EXPECT_FALSE(listed_launches_from_json(impossible).has_value());
}

}  // namespace
}  // namespace stitch

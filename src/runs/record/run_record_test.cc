// SPDX-License-Identifier: Apache-2.0
#include "runs/record/run_record.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/json/json.h"

namespace stitch::runs {
namespace {

Json record() {
  RunRecord run;
  run.id = "20261121-130455-mlp-3f2a";
  run.started = "2026-11-21T13:04:55Z";
  run.process = {7, std::numeric_limits<uint64_t>::max(), "boot"};
  run.steps = std::numeric_limits<int>::max();
  run.measured_us = 1e300;
  run.seed = (uint64_t{1} << 53) - 1;
  return to_json(run);
}

TEST(RunRecordTest, NumbersUpToTheLimitsOfTheirPlaces) {
  const auto read = run_record_from_json(record());
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->process.pid, 7);
  EXPECT_EQ(read->process.start_ticks, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(read->steps, std::numeric_limits<int>::max());
  EXPECT_EQ(read->operators, std::nullopt);
  EXPECT_EQ(read->measured_us, 1e300);
  EXPECT_EQ(read->seed, (uint64_t{1} << 53) - 1);
}

TEST(RunRecordTest, NumbersThatNoPlaceHoldsAreRefused) {
  for (const Json& number : {Json(1e300), Json(2.5), Json(int64_t{1} << 31), Json(-(int64_t{1} << 31) - 1),
                             Json(std::numeric_limits<uint64_t>::max())}) {
    Json json = record();
    json["steps"] = number;
    const auto read = run_record_from_json(json);
    ASSERT_FALSE(read.has_value()) << number;
    EXPECT_EQ(read.error().code, ErrorCode::kFileInvalid);
    EXPECT_EQ(read.error().message,
              "the record of a run has " + number.dump() + " as its 'steps', which is no number for it");
  }
  for (const char* key : {"pid", "start_ticks"}) {
    Json json = record();
    json["process"][key] = -1e300;
    EXPECT_FALSE(run_record_from_json(json).has_value()) << key;
  }
}

}  // namespace
}  // namespace stitch::runs

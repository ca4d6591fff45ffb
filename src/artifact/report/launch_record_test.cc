// SPDX-License-Identifier: Apache-2.0
#include "artifact/report/launch_record.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch {
namespace {

std::string name_read(const std::string& spelled) {
  LaunchRecord record;
  record.name = spelled;
  const auto read = launch_records_from_json({{"launches", to_json({record})}}, "launches");
  return read.has_value() && read->size() == 1 ? read->front().name : "unreadable";
}

TEST(LaunchRecord, NamesAreReadAsPeopleWriteThem) {
  EXPECT_EQ(name_read("(apply)"), "apply");
  EXPECT_EQ(name_read("(gemm_ffma_kernel<Tile, kLayoutA> )"), "gemm_ffma_kernel<Tile, kLayoutA>");
  EXPECT_EQ(name_read("((rows< 4 , float >))"), "rows<4, float>");
  EXPECT_EQ(name_read("(reduce<Sum,\n        float>)"), "reduce<Sum, float>");
  EXPECT_EQ(name_read("cublasLtMatmul"), "cublasLtMatmul");
  EXPECT_EQ(name_read("(*table)[0]"), "(*table)[0]");
  EXPECT_EQ(name_read("()"), "");
}

TEST(LaunchRecord, LongNamesAreCutBetweenCharacters) {
  std::string letters = "k";
  for (int i = 0; i < 200; ++i) {
    letters += "\u00e9";
  }
  const std::string name = name_read(letters);
  EXPECT_LE(name.size(), 256u);
  EXPECT_EQ(Json(name).dump(), "\"" + name + "\"");  // throws where it is no UTF-8
}

// The program's process wrote them: they are added up and multiplied.
TEST(LaunchRecord, NumbersThatCannotBeAreRefused) {
  const auto is_read = [](int64_t threads) {
    LaunchRecord record;
    record.threads = threads;
    return launch_records_from_json({{"launches", to_json({record})}}, "launches").has_value();
  };
  EXPECT_TRUE(is_read(int64_t{1} << 49));
  EXPECT_FALSE(is_read(-1));
  EXPECT_FALSE(is_read(INT64_MAX));
  EXPECT_FALSE(is_read(INT64_MAX / 4096 + 1));
}

TEST(LaunchRecord, CountedAccessesComeBack) {
  LaunchRecord record;
  record.step = 3;
  record.accesses = MemoryAccesses{.bytes_read = 7, .wavefronts = 9};
  const auto read = launch_records_from_json({{"launches", to_json({record})}}, "launches");
  ASSERT_TRUE(read.has_value());
  ASSERT_TRUE(read->front().accesses.has_value());
  EXPECT_EQ(read->front().step, 3);
  EXPECT_EQ(read->front().accesses->bytes_read, 7);
  EXPECT_EQ(read->front().accesses->wavefronts, 9);
  record.accesses->wavefronts = -1;
  EXPECT_FALSE(launch_records_from_json({{"launches", to_json({record})}}, "launches").has_value());
  record.accesses->wavefronts = 0;
  record.step = -2;
  EXPECT_FALSE(launch_records_from_json({{"launches", to_json({record})}}, "launches").has_value());
}

}  // namespace
}  // namespace stitch

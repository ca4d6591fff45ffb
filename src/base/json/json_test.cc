// SPDX-License-Identifier: Apache-2.0
#include "base/json/json.h"

#include <gtest/gtest.h>

namespace stitch {
namespace {

std::string nested(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(JsonTest, DeepTextIsRefused) {
  EXPECT_TRUE(parse_json(nested(200), "a file").has_value());
  const auto deep = parse_json(nested(200000), "a file");
  ASSERT_FALSE(deep.has_value());
  EXPECT_EQ(deep.error().message, "a file is not valid JSON of ours: it is nested too deeply");
}

TEST(JsonTest, BracketsInAStringAreText) {
  const std::string text = "[\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\", {}]";
  EXPECT_TRUE(parse_json(text, "a file").has_value());
}

TEST(JsonTest, TruncatedTextIsRefused) {
  for (const char* text : {"", "[", "{\"a\":", "\"\\", "[1,]", "nul", "\xff"}) {
    EXPECT_FALSE(parse_json(text, "a file").has_value()) << text;
  }
}

}  // namespace
}  // namespace stitch

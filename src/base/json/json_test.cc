// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/json/json_line.h"
#include "base/json/members.h"

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

TEST(JsonTest, ALineHasNoOtherEnd) {
  const Json json = {{"text", "a\xc2\x85\xc2\x85\xe2\x80\xa8\xe2\x80\xa9\x1c\n\xc3\xa9"}};
  const std::string line = json_line(json);
  EXPECT_EQ(line, "{\"text\":\"a\\u0085\\u0085\\u2028\\u2029\\u001c\\n\xc3\xa9\"}\n");
  EXPECT_EQ(Json::parse(line), json);
  EXPECT_EQ(json_line("\xff"), "\"\xef\xbf\xbd\"\n");
}

TEST(JsonTest, TruncatedTextIsRefused) {
  for (const char* text : {"", "[", "{\"a\":", "\"\\", "[1,]", "nul", "\xff"}) {
    EXPECT_FALSE(parse_json(text, "a file").has_value()) << text;
  }
}

TEST(JsonTest, AMemberOfAnotherKindIsToldByItsName) {
  const Json json = Json::parse(R"({"small": -7, "large": 4294967297, "texts": ["a", ""], "mixed": ["a", 1]})");
  EXPECT_EQ(*json_small_int(json, "small"), -7);
  EXPECT_EQ(json_small_int(json, "large").error().message, "member \"large\" is 4294967297, beyond what it may be");
  EXPECT_FALSE(json_small_int(json, "texts").has_value());
  EXPECT_EQ(*json_string_list(json, "texts"), (std::vector<std::string>{"a", ""}));
  EXPECT_EQ(json_string_list(json, "mixed").error().message, "member \"mixed\" holds something other than strings");
  EXPECT_FALSE(json_string_list(json, "none").has_value());
}

}  // namespace
}  // namespace stitch

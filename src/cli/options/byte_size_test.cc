// SPDX-License-Identifier: Apache-2.0
#include "cli/options/byte_size.h"

#include <gtest/gtest.h>

namespace stitch::cli {
namespace {

TEST(ByteSize, AsPeopleWriteIt) {
  EXPECT_EQ(parse_bytes("0").value(), 0u);
  EXPECT_EQ(parse_bytes("1000").value(), 1000u);
  EXPECT_EQ(parse_bytes("64k").value(), 65536u);
  EXPECT_EQ(parse_bytes("500 MB").value(), 500u << 20);
  EXPECT_EQ(parse_bytes("1.5GiB").value(), 3u << 29);
  EXPECT_EQ(parse_bytes("4G").value(), uint64_t{4} << 30);
}

TEST(ByteSize, WhatIsNoSize) {
  for (const char* text : {"", "G", "-1", "4X", "4GG", "nan", "inf", "1e40G", "four", "4 G G"}) {
    EXPECT_FALSE(parse_bytes(text).has_value()) << text;
  }
}

TEST(ByteSize, AsItIsSaid) {
  EXPECT_EQ(bytes_text(812), "812 bytes");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(uint64_t{4} << 30), "4.0 GiB");
}

}  // namespace
}  // namespace stitch::cli

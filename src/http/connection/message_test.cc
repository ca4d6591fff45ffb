// SPDX-License-Identifier: Apache-2.0
#include "http/connection/message.h"

#include <gtest/gtest.h>

namespace stitch::http {
namespace {

TEST(MessageTest, ATargetComesApart) {
  Request request;
  read_target("/v1/a:batch?wait=2.5&run=a%2Fb+c&empty&last=", request);
  EXPECT_EQ(request.path, "/v1/a:batch");
  EXPECT_EQ(request.query,
            (std::map<std::string, std::string>{{"wait", "2.5"}, {"run", "a/b c"}, {"empty", ""}, {"last", ""}}));
}

TEST(MessageTest, WhatIsNoEscapeStays) {
  Request request;
  read_target("/?a=%zz&b=%4&c=%", request);
  EXPECT_EQ(request.query, (std::map<std::string, std::string>{{"a", "%zz"}, {"b", "%4"}, {"c", "%"}}));
}

TEST(MessageTest, ARefusalIsOneLineOfJson) {
  EXPECT_EQ(refusal(404, "no \"x\"").body, "{\"error\":\"no \\\"x\\\"\"}\n");
}

}  // namespace
}  // namespace stitch::http

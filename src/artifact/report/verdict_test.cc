// SPDX-License-Identifier: Apache-2.0
#include "artifact/report/verdict.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch {
namespace {

constexpr VerdictKind kAll[] = {VerdictKind::kOk,          VerdictKind::kBuildFailed,    VerdictKind::kWrong,
                                VerdictKind::kCrashed,     VerdictKind::kTimedOut,       VerdictKind::kCheated,
                                VerdictKind::kInvalidTime, VerdictKind::kIllConditioned, VerdictKind::kUnsupported};

TEST(Verdict, ComesBackFromJson) {
  for (const VerdictKind kind : kAll) {
    const Verdict verdict{kind, "output 0 is wrong at [3,5]", "two\nlines \"quoted\""};
    const auto read = verdict_from_json(parse_json(to_json(verdict).dump(), "verdict").value());
    ASSERT_TRUE(read.has_value()) << read.error().sentence;
    EXPECT_EQ(read->kind, kind);
    EXPECT_EQ(read->reason, verdict.reason);
    EXPECT_EQ(read->detail, verdict.detail);
  }
}

TEST(Verdict, NamesAreStable) {
  const std::vector<std::string> names = {"ok",      "build_failed", "wrong",           "crashed",    "timed_out",
                                          "cheated", "invalid_time", "ill_conditioned", "unsupported"};
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(to_string(kAll[i]), names[i]);
    EXPECT_EQ(verdict_kind_from_string(names[i]).value(), kAll[i]);
  }
}

// Nothing but the word "ok" may be read as a pass.
TEST(Verdict, AnythingElseIsRefused) {
  for (const char* text : {"null", "[]", "{}", R"({"kind": "OK", "reason": "", "detail": ""})",
                           R"({"kind": 0, "reason": "", "detail": ""})", R"({"kind": "ok", "reason": 1, "detail": ""})",
                           R"({"kind": "ok", "reason": ""})", R"({"kind": "", "reason": "", "detail": ""})"}) {
    const auto read = verdict_from_json(parse_json(text, "verdict").value());
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kFileInvalid);
    EXPECT_FALSE(read.error().sentence.empty());
  }
}

}  // namespace
}  // namespace stitch

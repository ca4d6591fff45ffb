// SPDX-License-Identifier: Apache-2.0
#include "artifact/report/verdict.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch {
namespace {

constexpr VerdictKind kAll[] = {VerdictKind::kUndecided,  VerdictKind::kOk,          VerdictKind::kBuildFailed,
                                VerdictKind::kWrong,      VerdictKind::kCrashed,     VerdictKind::kTimedOut,
                                VerdictKind::kCheated,    VerdictKind::kInvalidTime, VerdictKind::kIllConditioned,
                                VerdictKind::kUnsupported};

TEST(Verdict, ComesBackFromJson) {
  for (const VerdictKind kind : kAll) {
    const Verdict verdict{kind, "output 0 is wrong at [3,5]", "two\nlines \"quoted\""};
    const auto read = verdict_from_json(parse_json(to_json(verdict).dump(), "verdict").value());
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->kind, kind);
    EXPECT_EQ(read->reason, verdict.reason);
    EXPECT_EQ(read->detail, verdict.detail);
  }
}

TEST(Verdict, NamesAreStable) {
  const std::vector<std::string> names = {"undecided", "ok",      "build_failed", "wrong",           "crashed",
                                          "timed_out", "cheated", "invalid_time", "ill_conditioned", "unsupported"};
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(to_string(kAll[i]), names[i]);
    EXPECT_EQ(verdict_kind_from_string(names[i]).value(), kAll[i]);
  }
}

TEST(Verdict, IsUndecidedUntilSomebodyDecides) { EXPECT_EQ(Verdict{}.kind, VerdictKind::kUndecided); }

// Each verdict has its own mark: reading one gives it neither another's nor none.
TEST(Verdict, TheMarkOfItsCageSurvives) {
  const Verdict bare{VerdictKind::kOk, "right", {}, "none: --unsafe-no-sandbox"};
  const Verdict whole{VerdictKind::kOk, "right", {}};
  for (const Verdict* verdict : {&bare, &whole, &bare}) {
    const Json json = to_json(*verdict);
    EXPECT_EQ(json.contains("sandbox"), !verdict->sandbox.empty());
    const auto read = verdict_from_json(parse_json(json.dump(), "verdict").value());
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->sandbox, verdict->sandbox);
    EXPECT_EQ(to_json(*read).dump(), json.dump());
  }
}

// Nothing but the word "ok" may be read as a pass.
TEST(Verdict, AnythingElseIsRefused) {
  for (const char* text : {"null", "[]", "{}", R"({"kind": "OK", "reason": "", "detail": ""})",
                           R"({"kind": 0, "reason": "", "detail": ""})", R"({"kind": "ok", "reason": 1, "detail": ""})",
                           R"({"kind": "ok", "reason": ""})",
                           R"({"kind": "ok", "reason": "", "detail": "", "sandbox": 1})",
                           R"({"kind": "", "reason": "", "detail": ""})"}) {
    const auto read = verdict_from_json(parse_json(text, "verdict").value());
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kFileInvalid);
    EXPECT_FALSE(read.error().message.empty());
  }
}

}  // namespace
}  // namespace stitch

// SPDX-License-Identifier: Apache-2.0
#include "runs/evidence/agreement.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch::runs {
namespace {

Json regime(const char* shape, const char* name, double ratio) {
  return {{"shape", shape}, {"regime", "as_given"}, {"name", name}, {"max_error_ratio", ratio}};
}

Json report(const char* kind, std::vector<Json> regimes) {
  return {{"verdict", {{"kind", kind}, {"reason", ""}}}, {"regimes", std::move(regimes)}};
}

TEST(Agreement, OfTheSameReportIsWhole) {
  const Json one = report("ok", {regime("a", "output 0", 0.5), regime("b", "output 0", 0.7)});
  const auto result = agreement(one, one);
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->agrees());
  EXPECT_EQ(describe(*result), "the verdict agrees: ok\n2 of 2 error figures are the same to the last bit");
}

TEST(Agreement, SaysHowFarFiguresMoved) {
  const auto result = agreement(report("ok", {regime("a", "output 0", 0.5), regime("b", "output 0", 0.7)}),
                                report("ok", {regime("a", "output 0", 0.5), regime("b", "output 0", 0.35)}));
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->agrees());
  EXPECT_EQ(describe(*result),
            "the verdict agrees: ok\n1 of 2 error figures are the same to the last bit, the others differ by at most "
            "50 %");
}

TEST(Agreement, OfTwoKindsIsNone) {
  const auto result =
      agreement(report("ok", {regime("a", "output 0", 0.5)}), report("wrong", {regime("a", "output 0", 1e9)}));
  ASSERT_TRUE(result.has_value());
  EXPECT_FALSE(result->agrees());
  EXPECT_TRUE(describe(*result).starts_with("the verdict DIFFERS: ok on record, wrong now"));
}

TEST(Agreement, NamesWhatOnlyOneOfThemHas) {
  const auto result = agreement(report("ok", {regime("a", "output 0", 0.5)}), report("ok", {regime("b", "out", 0.5)}));
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->only_recorded, std::vector<std::string>{"a, as_given, output 0"});
  EXPECT_EQ(result->only_repeated, std::vector<std::string>{"b, as_given, out"});
  EXPECT_EQ(describe(*result),
            "the verdict agrees: ok\n0 of 1 error figures are the same to the last bit\nnot judged again here: a, "
            "as_given, output 0\nnot on record: b, as_given, out");
}

TEST(Agreement, RefusesARecordThatIsNone) {
  const Json whole = report("ok", {});
  for (const char* text :
       {"{}", "{\"verdict\": 1}", "{\"verdict\": {\"kind\": 3}, \"regimes\": []}", "{\"verdict\": {\"kind\": \"ok\"}}",
        "{\"verdict\": {\"kind\": \"ok\"}, \"regimes\": [3]}"}) {
    const auto result = agreement(*parse_json(text, "verify.json"), whole);
    ASSERT_FALSE(result.has_value()) << text;
    EXPECT_EQ(result.error().code, ErrorCode::kFileInvalid);
  }
}

}  // namespace
}  // namespace stitch::runs

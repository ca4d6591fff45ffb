// SPDX-License-Identifier: Apache-2.0
// Which programs take another batch at run time, what follows it in their steps, and why others do not. In the cases
// {B}, {12*B} and {B+3} stand for numbers that depend on the batch.
#include "plan/batch/run_time_batch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>

#include "base/json/json.h"
#include "base/testing/case_file.h"
#include "ir/text/parser.h"

namespace stitch::plan {
namespace {

constexpr int64_t kDeclared = 6;
constexpr int64_t kBatchLimit = int64_t{1} << 31;

std::string at_batch(const std::string& text, int64_t batch) {
  static const std::regex pattern(R"(\{(?:(\d+)\*)?B(?:([+-]\d+))?\})");
  std::string made;
  auto from = text.cbegin();
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    made.append(from, (*match)[0].first);
    const int64_t factor = (*match)[1].matched ? std::stoll((*match)[1]) : 1;
    const int64_t offset = (*match)[2].matched ? std::stoll((*match)[2]) : 0;
    made += std::to_string(factor * batch + offset);
    from = (*match)[0].second;
  }
  return made.append(from, text.cend());
}

Result<Plan> planned_for(const std::string& text, const std::vector<int64_t>& others) {
  STITCH_ASSIGN(const ir::Graph graph, ir::parse(at_batch(text, kDeclared), "case"));
  STITCH_ASSIGN(Plan plan, make_plan(graph, {}));
  std::vector<BatchVariant> variants;
  for (const int64_t batch : others) {
    STITCH_ASSIGN(ir::Graph other, ir::parse(at_batch(text, batch), "case"));
    variants.push_back({batch, std::move(other)});
  }
  add_run_time_batch(plan, {kDeclared, kDeclared, 1, kBatchLimit}, variants);
  return plan;
}

std::string line_text(int64_t base, int64_t per_batch) {
  if (per_batch == 0) {
    return std::to_string(base);
  }
  const std::string slope = per_batch == 1 ? "B" : fmt::format("{}*B", per_batch);
  return base == 0 ? slope : fmt::format("{}{:+}", slope, base);
}

std::string described(const Plan& plan) {
  if (!plan.batch.has_value()) {
    return fmt::format("fixed: {}\n", plan.batch_note);
  }
  std::string text = fmt::format("batch {} to {}\n", plan.batch->minimum, plan.batch->maximum);
  for (const Step& step : plan.steps) {
    text += step.name + ":";
    for (size_t i = 0; i < step.extents.size(); ++i) {
      const int64_t slope = step.extents_per_batch[i];
      text += " " + line_text(step.extents[i] - slope * plan.batch->planned, slope);
    }
    const int64_t scratch_slope = step.scratch_bytes_per_batch;
    if (step.scratch_bytes > 0) {
      text += ", scratch " + line_text(step.scratch_bytes - scratch_slope * plan.batch->planned, scratch_slope);
    }
    text += "\n";
  }
  return text;
}

class BatchCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(BatchCase, FollowsTheBatchAsExpected) {
  const std::string difference = testing::differences(GetParam(), [](const testing::CaseFile& file) {
    const auto plan = planned_for(file.input, {kDeclared + 1, 1, 2 * kDeclared});
    return plan.has_value() ? described(*plan) : plan.error().message + "\n";
  });
  EXPECT_TRUE(difference.empty()) << difference;
}

TEST_P(BatchCase, SurvivesItsText) {
  const auto cases = testing::read_cases(GetParam());
  ASSERT_TRUE(cases.has_value());
  for (const testing::CaseFile& file : *cases) {
    const auto plan = planned_for(file.input, {kDeclared + 1, 1, 2 * kDeclared});
    ASSERT_TRUE(plan.has_value()) << plan.error().message;
    const Json json = to_json(*plan);
    const auto again = from_json(json);
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_EQ(to_json(*again), json);
  }
}

INSTANTIATE_TEST_SUITE_P(All, BatchCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/plan/testdata/batch")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

constexpr const char* kScaled = R"(graph g mode=eval
x: f32[{B},48] = input "x"
w: f32[96,48] = parameter "w"
h = linear(x, w, none)
return output "0" = h
)";

TEST(RunTimeBatch, ABatchOfOneOfItsOwnLeavesTheRangeAtTwo) {
  auto plan = planned_for(kScaled, {});
  ASSERT_TRUE(plan.has_value());
  std::string other = at_batch(kScaled, 1);
  other.replace(other.find("linear"), 0, "relu(x)\ni = ");
  const std::vector<BatchVariant> variants = {{7, ir::parse(at_batch(kScaled, 7), "case").value()},
                                              {1, ir::parse(other, "case").value()},
                                              {3, ir::parse(at_batch(kScaled, 3), "case").value()}};
  add_run_time_batch(*plan, {kDeclared, kDeclared, 1, kBatchLimit}, variants);
  ASSERT_TRUE(plan->batch.has_value()) << plan->batch_note;
  EXPECT_EQ(plan->batch->minimum, 2);
  EXPECT_EQ(plan->batch->maximum, (kBatchLimit - 1) / 96);
}

TEST(RunTimeBatch, ProgramsThatDifferAtOtherBatchesStayFixed) {
  auto plan = planned_for(kScaled, {});
  ASSERT_TRUE(plan.has_value());
  std::string longer = at_batch(kScaled, 9);
  longer.replace(longer.find("output"), 0, "");
  const size_t at = longer.find("h = linear(x, w, none)");
  longer.replace(at, std::string("h = linear(x, w, none)").size(), "g = linear(x, w, none)\nh = relu(g)");
  const std::vector<BatchVariant> variants = {{7, ir::parse(at_batch(kScaled, 7), "case").value()},
                                              {9, ir::parse(longer, "case").value()}};
  add_run_time_batch(*plan, {kDeclared, kDeclared, 1, kBatchLimit}, variants);
  EXPECT_FALSE(plan->batch.has_value());
  EXPECT_NE(plan->batch_note.find("at batch 9"), std::string::npos) << plan->batch_note;
}

// The lower half of the batch and one: the same number at 6 and at 7, as that of a median.
ir::Graph lower_half(int64_t batch) {
  const int64_t kept = batch / 2 + 1;
  const std::string text = fmt::format(
      "graph g mode=eval\nx: f32[{}] = input \"x\"\nt, i = topk(x; k={}, dim=0, largest=false)\n"
      "return output \"0\" = t, output \"1\" = i\n",
      batch, kept);
  return ir::parse(text, "case").value();
}

TEST(RunTimeBatch, ANumberThatIsTheSameAtTheNextBatchOnlyLeavesItFixed) {
  auto plan = make_plan(lower_half(kDeclared), {});
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  ASSERT_EQ(lower_half(kDeclared).nodes[0].attributes, lower_half(kDeclared + 1).nodes[0].attributes);
  const std::vector<BatchVariant> two = {{7, lower_half(7)}, {1, lower_half(1)}};
  add_run_time_batch(*plan, {kDeclared, kDeclared, 1, kBatchLimit}, two);
  EXPECT_FALSE(plan->batch.has_value()) << plan->batch->minimum << " to " << plan->batch->maximum;
  const std::vector<BatchVariant> three = {{7, lower_half(7)}, {1, lower_half(1)}, {3, lower_half(3)}};
  add_run_time_batch(*plan, {kDeclared, kDeclared, 1, kBatchLimit}, three);
  EXPECT_FALSE(plan->batch.has_value());
  EXPECT_NE(plan->batch_note.find("at batch 3"), std::string::npos) << plan->batch_note;
}

TEST(RunTimeBatch, AnAlteredRangeIsFound) {
  const auto plan = planned_for(kScaled, {7, 1});
  ASSERT_TRUE(plan.has_value());
  for (const auto& [key, value] : {std::pair<const char*, int64_t>{"least", 0},
                                   {"greatest", kBatchLimit},
                                   {"declared", 7},
                                   {"planned", 7},
                                   {"planned", 1},
                                   {"other_batch", 8}}) {
    Json json = to_json(*plan);
    json["batch"][key] = value;
    EXPECT_FALSE(from_json(json).has_value()) << key << " = " << value;
  }
}

}  // namespace
}  // namespace stitch::plan

// SPDX-License-Identifier: Apache-2.0
// What is left for a planner as text, and which batch a program is planned for.
#include "plan/batch/any_batch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "ir/text/parser.h"

namespace stitch::plan {
namespace {

constexpr int64_t kMaxBatch = int64_t{1} << 31;

ir::Graph at(int64_t batch, const char* last = "relu(h)") {
  const std::string text = fmt::format(
      "graph g mode=eval\nx: f32[{},48] = input \"x\"\nw: f32[96,48] = parameter \"w\"\nh = linear(x, w, none)\n"
      "y = {}\nreturn output \"0\" = y\n",
      batch, last);
  return ir::parse(text, "case").value();
}

Result<Plan> planned(const ProgramBatches& program) {
  return plan_any_batch(program, [](const ir::Graph& graph) { return make_plan(graph, {}); });
}

ProgramBatches declared_as_one(const char* at_one = "relu(h)") {
  return {at(1, at_one), {1, 3, 1, kMaxBatch}, {{3, at(3)}, {4, at(4)}, {6, at(6)}}, ""};
}

TEST(AnyBatch, TextSurvives) {
  const ProgramBatches program = declared_as_one();
  const auto read = parse_batches(print(program), "graph.ir");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(print(*read), print(program));
  EXPECT_EQ(read->range.planned, 3);
  ASSERT_EQ(read->variants.size(), 3u);
  EXPECT_EQ(read->variants[1].batch, 4);
}

TEST(AnyBatch, AReasonSurvives) {
  const auto read = parse_batches(print(ProgramBatches{at(5), {}, {}, "its inputs agree on no batch"}), "graph.ir");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->fixed_because, "its inputs agree on no batch");
  const auto plan = planned(*read);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->batch_note, "its inputs agree on no batch");
}

TEST(AnyBatch, AlteredTextIsRefused) {
  const std::string text = print(declared_as_one());
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"declared=1", "declared=0"},
                                 {"planned=3", "planned=x"},
                                 {"--- at batch 4", "--- at batch"},
                                 {"--- batch declared=1 planned=3 least=1 greatest=2147483648\n", ""},
                                 {"greatest=2147483648", "greatest=2"}}) {
    std::string altered = text;
    altered.replace(altered.find(from), from.size(), to);
    const auto read = parse_batches(altered, "graph.ir");
    ASSERT_FALSE(read.has_value()) << from;
    EXPECT_EQ(read.error().code, ErrorCode::kFileInvalid);
  }
}

TEST(AnyBatch, OneIsPlannedForALargerBatch) {
  const auto plan = planned(declared_as_one());
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  ASSERT_TRUE(plan->batch.has_value()) << plan->batch_note;
  EXPECT_EQ(plan->batch->declared, 1);
  EXPECT_EQ(plan->batch->planned, 3);
  EXPECT_EQ(plan->batch->minimum, 1);
  EXPECT_EQ(plan->graph.type(plan->graph.inputs[0].value).shape[0], 3);
  EXPECT_LT(declared_modelled_us(*plan), plan->modelled_us);
  const auto again = from_json(to_json(*plan));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(to_json(*again), to_json(*plan));
}

TEST(AnyBatch, OneThatIsAProgramOfItsOwnStaysAsDeclared) {
  const auto plan = planned(declared_as_one("sigmoid(h)"));
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  EXPECT_FALSE(plan->batch.has_value());
  EXPECT_NE(plan->batch_note.find("at batch 1"), std::string::npos) << plan->batch_note;
  EXPECT_EQ(plan->graph.type(plan->graph.inputs[0].value).shape[0], 1);
}

TEST(AnyBatch, TheDeclaredBatchIsPlannedForWhereItCanBe) {
  const ProgramBatches program{at(16), {16, 16, 1, kMaxBatch}, {{17, at(17)}, {1, at(1)}, {8, at(8)}}, ""};
  const auto plan = planned(program);
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  ASSERT_TRUE(plan->batch.has_value()) << plan->batch_note;
  EXPECT_EQ(plan->batch->planned, 16);
  EXPECT_EQ(declared_modelled_us(*plan), plan->modelled_us);
}

TEST(AnyBatch, WithoutItsPlannedBatchAProgramStaysAsDeclared) {
  ProgramBatches program = declared_as_one();
  program.variants.erase(program.variants.begin());
  const auto plan = planned(program);
  ASSERT_TRUE(plan.has_value());
  EXPECT_FALSE(plan->batch.has_value());
  EXPECT_FALSE(plan->batch_note.empty());
}

}  // namespace
}  // namespace stitch::plan

// SPDX-License-Identifier: Apache-2.0
// Every pass on printed graphs: before and after. Whatever a pass does, the graph stays valid and means the same.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "base/testing/case_file.h"
#include "ir/eval/interpret.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/validate/validate.h"
#include "plan/layout/channels_last.h"
#include "plan/rewrite/rewrite.h"
#include "plan/testing/random_inputs.h"

namespace stitch::plan {
namespace {

using Pass = std::function<Result<ir::Graph>(const ir::Graph&)>;

Result<ir::Graph> keep_what_libraries_take(const ir::Graph& graph) {
  PlanOptions options;
  options.math = MathMode::kTf32;
  options.libraries = Libraries::kOn;
  return keep_channels_last(graph, choose_channels_last(graph, options));
}

const std::map<std::string, Pass>& passes() {
  static const std::map<std::string, Pass> all = {
      {"remove_dead_code", remove_dead_code},
      {"share_common_nodes", share_common_nodes},
      {"join_time_steps", join_time_steps},
      {"pad_before_scans", pad_before_scans},
      {"decompose_cross_entropy", decompose_cross_entropy},
      {"simplify_identities", simplify_identities},
      {"decompose_batch_norm", decompose_batch_norm},
      {"compose_attention", std::bind_front(compose_attention, "")},
      {"compose_attention_sm_90a", std::bind_front(compose_attention, "sm_90a")},
      {"decompose_attention", decompose_attention},
      {"decompose_double", decompose_double},
      {"decompose_double_windows", decompose_double_windows},
      {"unmerge_batches", unmerge_batches},
      {"decompose_small_products", decompose_small_products},
      {"move_permutes", move_permutes},
      {"follow_operands", follow_operands},
      {"turn_products", turn_products},
      {"chain_cats", chain_cats},
      {"spread_cats", spread_cats},
      {"reduce_products", reduce_products},
      {"pool_products", pool_products},
      {"reduce_norms", reduce_norms},
      {"compose_pools", compose_pools},
      {"merge_products", merge_products},
      {"order_products", order_products},
      {"look_up_one_hots", look_up_one_hots},
      {"narrow_to_reads", narrow_to_reads},
      {"scale_by_diagonals", scale_by_diagonals},
      {"scale_weights", scale_weights},
      {"separate_outputs", separate_outputs},
      {"keep_channels_last", keep_what_libraries_take},
      {"rewrite", rewrite}};
  return all;
}

void expect_same_meaning(const ir::Graph& before, const ir::Graph& after) {
  constexpr double kTolerance = 1e-9;  // the interpreter computes in double
  const auto inputs = testing::random_inputs(before, 7);
  const auto wanted = ir::interpret(before, inputs);
  const auto got = ir::interpret(after, inputs);
  ASSERT_TRUE(wanted.has_value()) << wanted.error().message;
  ASSERT_TRUE(got.has_value()) << got.error().message;
  for (size_t output = 0; output < wanted->size(); ++output) {
    for (size_t i = 0; i < (*wanted)[output].data.size(); ++i) {
      const double expected = (*wanted)[output].data[i];
      const double value = (*got)[output].data[i];
      const bool is_same = std::isnan(expected) ? std::isnan(value) : expected == value;
      ASSERT_TRUE(is_same || std::fabs(expected - value) <= kTolerance)
          << "output " << output << " at " << i << ": " << value << " where it was " << expected;
    }
  }
}

class RewriteCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(RewriteCase, LeadsToTheExpectedGraph) {
  const auto file = testing::read_case(GetParam());
  ASSERT_TRUE(file.has_value()) << file.error().message;
  const auto before = ir::parse(file->input, GetParam().filename().string());
  ASSERT_TRUE(before.has_value()) << before.error().message << " at " << before.error().location;
  ASSERT_EQ(passes().count(file->run), 1U) << "no pass is called " << file->run;
  const auto after = passes().at(file->run)(*before);
  ASSERT_TRUE(after.has_value()) << after.error().message;
  const auto valid = ir::validate(*after);
  EXPECT_TRUE(valid.has_value()) << valid.error().message;
  expect_same_meaning(*before, *after);
  EXPECT_TRUE(testing::agrees(*file, ir::print(*after))) << "got:\n" << ir::print(*after);
}

INSTANTIATE_TEST_SUITE_P(All, RewriteCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/plan/testdata/rewrite")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

}  // namespace
}  // namespace stitch::plan

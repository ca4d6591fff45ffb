// SPDX-License-Identifier: Apache-2.0
// Which settings recurrent layers get by estimate, and when layers one above the other stay a stack.
#include "plan/partition/stack_choice.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/text/parser.h"
#include "plan/plan.h"

namespace stitch::plan {
namespace {

std::vector<std::string> settings_of(const std::string& text, const PlanOptions& options = {}) {
  const auto graph = ir::parse(text, "sample");
  const auto plan = make_plan(graph.value(), options);
  std::vector<std::string> settings;
  for (const Step& step : plan.value().steps) {
    if (step.skeleton.starts_with("recurrent")) {
      settings.push_back(step.setting.variant);
    }
  }
  return settings;
}

// A GRU of 256 units, 512 steps.
std::string layer(int batch, int directions) {
  const std::string reverse = directions == 2 ? "g, u, none" : "none, none, none";
  return fmt::format(
      "graph g mode=eval\ng: f32[512,{},768] = input \"g\"\ns: f32[{},{},256] = input \"s\"\n"
      "u: f32[768,256] = parameter \"u\"\ntop, last = gru_layer(g, s, u, none, {})\nreturn output \"0\" = top\n",
      batch, directions, batch, reverse);
}

std::string two_layers() {
  return "graph g mode=eval\nx: f32[512,10,256] = input \"x\"\ns: f32[1,10,256] = input \"s\"\n"
         "w: f32[768,256] = parameter \"w\"\ng0 = linear(x, w, none)\n"
         "o0, h0 = gru_layer(g0, s, w, none, none, none, none)\ng1 = linear(o0, w, none)\n"
         "o1, h1 = gru_layer(g1, s, w, none, none, none, none)\nreturn output \"0\" = o1\n";
}

std::string six_layers() {
  std::string text =
      "graph g mode=eval\nx: f32[512,10,256] = input \"x\"\ns: f32[1,10,256] = input \"s\"\n"
      "w: f32[768,256] = parameter \"w\"\n";
  std::string below = "x";
  for (int i = 0; i < 6; ++i) {
    text += fmt::format("g{0} = linear({1}, w, none)\no{0}, h{0} = gru_layer(g{0}, s, w, none, none, none, none)\n", i,
                        below);
    below = fmt::format("o{}", i);
  }
  return text + "return output \"0\" = " + below + "\n";
}

using Names = std::vector<std::string>;

TEST(StackChoice, AsFewSamplesAClusterAsRunInOneRound) {
  EXPECT_EQ(settings_of(layer(10, 1)), Names{"cluster_rows_1"});
  EXPECT_EQ(settings_of(layer(10, 2)), Names{"cluster_rows_2"});
  EXPECT_EQ(settings_of(layer(48, 1)), Names{"cluster_rows_4"});
}

TEST(StackChoice, LayersStayApartWhereClustersAreFaster) {
  EXPECT_EQ(settings_of(two_layers()), (Names{"cluster_rows_1", "cluster_rows_1"}));
}

TEST(StackChoice, ManyLayersAreOneLaunchOfClusters) { EXPECT_EQ(settings_of(six_layers()), Names{"cluster_rows_5"}); }

TEST(StackChoice, AStackStaysWhereLibrariesAreWantedAndWithoutClusters) {
  PlanOptions libraries;
  libraries.libraries = Libraries::kOn;
  EXPECT_EQ(settings_of(two_layers(), libraries).size(), 1u);
  PlanOptions ampere;
  ampere.limits = kernels::device_limits("A100").value();
  EXPECT_EQ(settings_of(two_layers(), ampere).size(), 1u);
}

TEST(StackChoice, APlanLikeAnotherIsCutAsThatIs) {
  const auto graph = ir::parse(two_layers(), "sample");
  PlanOptions ampere;
  ampere.limits = kernels::device_limits("A100").value();
  const auto stack = make_plan(graph.value(), ampere);
  const auto apart = make_plan(graph.value(), {});
  PlanOptions like;
  like.like = &stack.value();
  EXPECT_EQ(settings_of(two_layers(), like).size(), 1u);
  like.like = &apart.value();
  EXPECT_EQ(settings_of(two_layers(), like).size(), 2u);
}

}  // namespace
}  // namespace stitch::plan

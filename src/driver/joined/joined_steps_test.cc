// SPDX-License-Identifier: Apache-2.0
#include "driver/joined/joined_steps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "driver/job/unwatched.h"
#include "driver/written/step_nodes.h"
#include "ir/text/parser.h"

namespace stitch::driver {
namespace {

// Steps h with a, m, s; at other rows, too.
std::string program_of(int rows) {
  return fmt::format(
      "graph g mode=eval\nx: f32[{0},48] = input \"x\"\nw: f32[96,48] = parameter \"w\"\nh = linear(x, w, none)\n"
      "a = relu(h)\nm = cumsum(a; dim=1)\ns = softmax(m; dim=1)\nreturn output \"0\" = s\n",
      rows);
}

class Joined : public ::testing::Test {
 protected:
  EmittedProgram planned(int rows, const plan::Plan* like = nullptr) {
    return plan_and_emit(job_, ir::parse(program_of(rows), "case").value(), MathMode::kFp32, like).value();
  }
  void SetUp() override {
    const EmittedProgram own = planned(6);
    const EmittedProgram other = planned(11, &own.plan);
    program_ = {own.plan, own.bundle, {}};
    program_.set.subjects.push_back({"declared shapes", {}, own.plan, own.bundle, false, {}});
    program_.set.subjects.push_back({"hidden shape", {}, other.plan, other.bundle, false, {}});
  }
  std::optional<std::string> joined(const std::vector<std::string>& nodes) {
    const TextPlace place = place_for({}, program_, nodes).value();
    std::vector<PartText> parts;
    for (const size_t step : steps_among(program_.plan, place.nodes)) {
      parts.push_back({step, program_.sources.files.at("steps/" + key_of_step(program_.plan, step) + ".cu")});
    }
    return joined_steps(program_, place, parts);
  }

  Unwatched silent_;
  Job job_{{}, {{.root = STITCH_SOURCE_DIR, .programs = {}, .python = {}}, silent_}};
  TextProgram program_;
};

TEST_F(Joined, HandOnInScratchMemory) {
  const std::optional<std::string> text = joined({"m", "s"});
  ASSERT_TRUE(text.has_value());
  for (const char* part : {"// scratch: 4 * a[0] * a[1]\n// scratch: 256\n", "namespace part_0 {", "namespace part_1 {",
                           "part_0::run(&part_0, stream)", "tensors_1[] = {between_0, args->tensors[1]}",
                           "extents_0[] = {sizes.a_axis_1, sizes.a_axis_1, sizes.a_axis_0, sizes.a_axis_1}"}) {
    EXPECT_NE(text->find(part), std::string::npos) << part << "\n" << *text;
  }
  EXPECT_EQ(text->find("extern \"C\" int step_00"), text->rfind("extern \"C\" int step_"));
}

TEST_F(Joined, AreWholeStepsAlone) {
  EXPECT_FALSE(joined({"a", "m"}).has_value()) << "the product is not asked for";
  EXPECT_FALSE(joined({"m"}).has_value()) << "a step that has a file needs no other";
}

}  // namespace
}  // namespace stitch::driver

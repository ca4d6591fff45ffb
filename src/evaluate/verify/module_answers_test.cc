// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/module_answers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "verify/compare/test_tensors.h"

namespace stitch::evaluate {
namespace {

HostTensor wave(double shift) {
  std::vector<double> values(200);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = std::sin(shift * 100 + static_cast<double>(i * i));
  }
  return verify::float_reference({10, 20}, values, values).native;
}

HostTensor integers(int64_t first) { return verify::integer_reference({2}, {first, first + 1}).native; }

verify::OracleDraw module_draw(double answer, double parameter, int64_t integer) {
  verify::OracleDraw draw;
  draw.inputs = {wave(answer), integers(integer)};
  draw.parameters = {wave(parameter)};
  verify::OutputReference output;
  output.name = "output 0";
  output.native = wave(answer);
  draw.outputs = {output};
  return draw;
}

// The second of two calls hands its whole answer on.
bool is_refused(const verify::OracleDraw& first, const verify::OracleDraw& second, bool has_prepared) {
  ModuleAnswers answers;
  EXPECT_FALSE(answers.add(first, true, {first.outputs[0].native}, {wave(7)}));
  return answers.add(second, has_prepared, {second.outputs[0].native}, {second.outputs[0].native}).has_value();
}

TEST(ModuleAnswersTest, WhatIsTheSameOnOtherContentsWasHanded) {
  EXPECT_TRUE(is_refused(module_draw(1, 1, 1), module_draw(2, 1, 1), false));
}

TEST(ModuleAnswersTest, WhatWasMadeOfParametersMayBeKeptUntilTheyAreHandedOver) {
  EXPECT_FALSE(is_refused(module_draw(1, 1, 1), module_draw(2, 2, 1), false));
  EXPECT_TRUE(is_refused(module_draw(1, 1, 1), module_draw(2, 2, 1), true));
}

TEST(ModuleAnswersTest, WhatIsMadeOfIntegersHasNoOtherAnswer) {
  EXPECT_FALSE(is_refused(module_draw(1, 1, 1), module_draw(2, 1, 2), true));
}

TEST(ModuleAnswersTest, ACallWaitsForOneToBeHeldAgainst) {
  ModuleAnswers answers;
  EXPECT_FALSE(answers.add(module_draw(1, 1, 1), false, {wave(1)}, {wave(1)}));
  EXPECT_FALSE(answers.add(module_draw(2, 2, 1), true, {wave(2)}, {}));
  const auto finding = answers.add(module_draw(3, 1, 1), false, {wave(3)}, {});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, VerdictKind::kCheated);
  EXPECT_NE(finding->reason.find("200 of 200 elements"), std::string::npos) << finding->reason;
}

}  // namespace
}  // namespace stitch::evaluate

// SPDX-License-Identifier: Apache-2.0
#include "base/text/identifier.h"

#include <gtest/gtest.h>

namespace stitch {
namespace {

TEST(Identifier, TakesWhatAFileMayBeCalled) {
  EXPECT_EQ(as_identifier("mlp_residual"), "mlp_residual");
  EXPECT_EQ(as_identifier("10_ResNet101"), "program_10_ResNet101");
  EXPECT_EQ(as_identifier("my model-2.final"), "my_model_2_final");
  EXPECT_EQ(as_identifier("Größe"), "Gr____e");  // each byte beyond ASCII
  EXPECT_EQ(as_identifier(""), "program_");
  EXPECT_EQ(as_identifier("none"), "program_none");
  EXPECT_EQ(as_identifier("test"), "program_test");
}

}  // namespace
}  // namespace stitch

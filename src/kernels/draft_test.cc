// SPDX-License-Identifier: Apache-2.0
// What planning reads off a step without its text.
#include <gtest/gtest.h>

#include "ir/text/parser.h"
#include "kernels/builtin_templates.h"
#include "kernels/code/step_code.h"

namespace stitch::kernels {
namespace {

std::string program(int rows, const char* operation) {
  return "graph g mode=eval\nx: f32[" + std::to_string(rows) + ",12] = input \"x\"\ny = " + operation +
         "(x; dim=1)\nreturn output \"0\" = y\n";
}

// The draft of a program of one node.
StepDraft draft_of(const ir::Graph& graph) {
  const ir::NodeId root{0};
  const Group group = make_group(graph, root, {root}, {graph.inputs[0].value}, graph.node(root).outputs);
  const KernelTemplate* kernel = template_for(graph, graph.node(root));
  STITCH_CHECK(kernel != nullptr) << "no kernel takes the node";
  EXPECT_TRUE(kernel->fits(group).ok);
  auto draft = kernel->draft(group, kernel->space(group, known_devices().front(), MathMode::kFp32).front());
  STITCH_CHECK(draft.has_value()) << draft.error().message;
  return std::move(draft).value();
}

TEST(StepDraft, IsTheSameCodeAtOtherSizesAndNotForAnotherOperator) {
  const auto small = ir::parse(program(3, "softmax"), "small");
  const auto large = ir::parse(program(50, "softmax"), "large");
  const auto other = ir::parse(program(3, "log_softmax"), "other");
  ASSERT_TRUE(small.has_value()) << small.error().message;
  ASSERT_TRUE(large.has_value() && other.has_value());
  const StepDraft draft = draft_of(*small);
  EXPECT_TRUE(is_same_code(draft, draft_of(*large)));
  EXPECT_FALSE(is_same_code(draft, draft_of(*other)));
  EXPECT_NE(draft.shape.extents, draft_of(*large).shape.extents);
  EXPECT_EQ(to_text(draft).launch, to_text(draft_of(*large)).launch);
}

}  // namespace
}  // namespace stitch::kernels

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "ir/graph/op.h"
#include "synth/recipes/recipe.h"

namespace stitch::synth {
namespace {

struct IrOperator {
  ir::Op op;  // that our IR has it is seen by the compiler
  const char* text;
};
constexpr IrOperator kUnary[] = {
#define STITCH_IR_UNARY(name, text) {ir::op_named(#name), text},
#define STITCH_IR_BINARY(name, text)
#include "synth/recipes/ir_operators.def"
#undef STITCH_IR_UNARY
#undef STITCH_IR_BINARY
};
constexpr IrOperator kBinary[] = {
#define STITCH_IR_UNARY(name, text)
#define STITCH_IR_BINARY(name, text) {ir::op_named(#name), text},
#include "synth/recipes/ir_operators.def"
#undef STITCH_IR_UNARY
#undef STITCH_IR_BINARY
};

constexpr size_t kMinNodes = 3;
constexpr size_t kMoreNodes = 7;

template <size_t count>
const IrOperator& pick(Random& random, const IrOperator (&from)[count]) {
  return from[random.below(count)];
}

}  // namespace

Tensor write_expression(Writer& writer) {
  Random& random = writer.random();
  Tensor value = first_value(writer, std::nullopt);
  std::vector<std::string> values = {value.name};
  for (size_t more = 1 + random.below(2); more > 0; --more) {
    values.push_back(random.chance(0.6)
                         ? writer.input("other", fmt::format("torch.randn({})", shape_text(value.shape)))
                         : writer.parameter("weight",
                                            value.shape.back().text.empty() ? "1" : writer.in_layer(value.shape.back()),
                                            1, 0));
  }
  for (size_t left = kMinNodes + random.below(kMoreNodes); left > 0; --left) {
    // Values that were just made are read most often, so that few of them are read by nobody.
    const auto one = [&] { return random.chance(0.6) ? values.back() : random.pick(values); };
    const bool is_binary = random.chance(0.5);
    const IrOperator& chosen = is_binary ? pick(random, kBinary) : pick(random, kUnary);
    const std::string first = one();
    const std::string second = random.pick(values);
    if (is_binary && first == second) {
      continue;
    }
    writer.took("ir", ir::to_string(chosen.op), kExpressionKind);
    values.push_back(writer.assign("t", fmt::format(fmt::runtime(chosen.text), first, second)));
  }
  value.name = values.back();
  return value;
}

}  // namespace stitch::synth

// SPDX-License-Identifier: Apache-2.0
// Attention written out in many ways, and what only looks like it: composed it means the same, rows that see no key and
// what is infinite or not a number included.
#include <gtest/gtest.h>

#include <limits>

#include "ir/graph/op.h"
#include "plan/rewrite/rewrite.h"
#include "plan/testing/drawn_programs.h"

namespace stitch::plan {
namespace {

using ir::Op;
using ir::Operand;
using ir::Scalar;
using ir::ValueId;
using testing::changed_by;
using testing::Drawing;
using Shape = std::vector<int64_t>;

class AttentionByHand {
 public:
  explicit AttentionByHand(uint32_t seed) : program_(seed, "attention") {}

  ir::Graph make() {
    const bool is_split = program_.below(2) == 0;  // products over one axis of heads, masks over two
    ValueId scores = program_.node(Op::kMatmul, {matrices(is_split, rows_, 3), matrices(is_split, 3, keys_)});
    if (is_split) {
      scores = seen(scores, {kBatch, kHeads, rows_, keys_});
    }
    for (int64_t left = program_.below(5); left > 0; --left) {
      scores = worked(scores);
    }
    const int64_t axis = program_.below(8) == 0 ? 2 : 3;
    ValueId weights = program_.node(Op::kSoftmax, {scores}, {{"dim", axis}});
    if (is_split) {
      weights = seen(weights, {kBatch * kHeads, rows_, keys_});
    }
    program_.give(program_.node(Op::kMatmul, {weights, matrices(is_split, keys_, 2)}));
    if (program_.below(8) == 0) {
      program_.give(scores);
    }
    return program_.finish();
  }

 private:
  static constexpr int64_t kBatch = 2, kHeads = 2;

  ValueId matrices(bool is_split, int64_t rows, int64_t columns) {
    return program_.input(is_split ? Shape{kBatch * kHeads, rows, columns} : Shape{kBatch, kHeads, rows, columns});
  }
  ValueId seen(ValueId value, Shape shape) { return program_.node(Op::kReshape, {value}, {{"shape", shape}}); }
  Shape part_of_scores() {
    const std::vector<Shape> shapes = {
        {rows_, keys_}, {rows_, 1}, {kBatch, 1, 1, keys_}, {1, kHeads, rows_, keys_}, {kBatch, kHeads, rows_, keys_}};
    return shapes[static_cast<size_t>(program_.below(static_cast<int64_t>(shapes.size())))];
  }

  ValueId worked(ValueId scores) {
    switch (program_.below(7)) {
      case 0:
        return program_.node(Op::kMul, {scores, Scalar{program_.below(3) == 0 ? -0.5 : 2.0}});
      case 1:
        return program_.node(Op::kDiv, {scores, Scalar{4.0}});
      case 2:
      case 3: {
        const TensorRole role = program_.below(2) == 0 ? TensorRole::kInput : TensorRole::kParameter;
        const ValueId bias = program_.input(part_of_scores(), role);
        return program_.below(3) == 0   ? program_.node(Op::kAdd, {bias, scores})
               : program_.below(2) == 0 ? program_.node(Op::kSub, {scores, bias})
                                        : program_.node(Op::kAdd, {scores, bias});
      }
      default:
        return filled(scores);
    }
  }

  ValueId filled(ValueId scores) {
    const ValueId mask = program_.input(part_of_scores(), TensorRole::kInput, DataType::kBool);
    const double number = program_.below(4) == 0 ? -1e9 : -std::numeric_limits<double>::infinity();
    const Operand fill =
        program_.below(3) > 0
            ? Operand{Scalar{number}}
            : program_.node(Op::kFull, {}, {{"shape", Shape{1}}, {"value", number}, {"dtype", DataType::kFloat32}});
    return program_.below(2) == 0 ? program_.node(Op::kWhere, {mask, fill, scores})
                                  : program_.node(Op::kWhere, {mask, scores, fill});
  }

  Drawing program_;
  int64_t rows_ = program_.below(3) + 2;
  int64_t keys_ = program_.below(6) == 0 ? 5 : program_.below(3) + 16;
};

ir::Graph attention_by_hand(uint32_t seed) { return AttentionByHand(seed).make(); }

TEST(ComposeAttention, MeansTheSame) {
  const int changed =
      changed_by([](const ir::Graph& graph) { return compose_attention("", graph); }, attention_by_hand);
  EXPECT_GT(changed, 30);
  EXPECT_LT(changed, 90);
}

}  // namespace
}  // namespace stitch::plan

// SPDX-License-Identifier: Apache-2.0
// Products of one operand, products in a row, with diagonals and with rows of a single one, and chains that end in a
// small part, put together by chance: each pass leaves the meaning, and what is infinite or not a number stays so where
// it was.
#include <gtest/gtest.h>

#include "ir/graph/op.h"
#include "plan/rewrite/rewrite.h"
#include "plan/testing/drawn_programs.h"

namespace stitch::plan {
namespace {

using ir::Op;
using ir::ValueId;
using testing::changed_by;
using testing::count_of;
using testing::Drawing;
using Shape = std::vector<int64_t>;

// Products of one x, each read by what may read a range, or by what wants the product whole.
ir::Graph products_of_one(uint32_t seed) {
  Drawing program(seed, "products");
  constexpr int64_t kHeads = 2;
  const int64_t depth = program.below(5) + 2;
  const ValueId x = program.input({program.below(2) + 1, program.below(4) + 2, depth});
  const bool is_linear = program.below(2) == 0;
  const bool has_bias = program.below(2) == 0;
  for (int64_t left = program.below(3) + 2; left > 0; --left) {
    const int64_t columns = kHeads * (program.below(4) + 1);
    const TensorRole role = program.below(6) == 0 ? TensorRole::kInput : TensorRole::kParameter;
    const ValueId weight = program.input(is_linear ? Shape{columns, depth} : Shape{depth, columns}, role);
    const ir::Operand bias =
        has_bias ? ir::Operand{program.input({columns}, TensorRole::kParameter)} : ir::Operand{ir::Absent{}};
    const ValueId product =
        is_linear ? program.node(Op::kLinear, {x, weight, bias}) : program.node(Op::kMatmul, {x, weight});
    const Shape& made = program.shape(product);
    const ValueId heads = program.node(
        Op::kPermute,
        {program.node(Op::kReshape, {product}, {{"shape", Shape{made[0], made[1], kHeads, columns / kHeads}}})},
        {{"dims", Shape{0, 2, 1, 3}}});
    switch (program.below(5)) {
      case 0:
        program.give(program.node(Op::kRelu, {product}));
        break;
      case 1:
        program.give(program.node(Op::kSoftmax, {heads}, {{"dim", int64_t{3}}}));
        break;
      case 2:
        program.give(product);
        break;
      default:
        program.give(
            program.node(Op::kMatmul, {heads, program.node(Op::kPermute, {heads}, {{"dims", Shape{0, 1, 3, 2}}})}));
    }
  }
  return program.finish();
}

// diag(d) B or A diag(d), as torch.diag and diag_embed are imported, of one matrix or several.
ir::Graph product_with_diagonal(uint32_t seed) {
  Drawing program(seed, "diagonal");
  const int64_t n = program.below(4) + 2;
  const bool has_batch = program.below(3) == 0;
  const Shape kept = program.below(2) == 0 ? Shape{n, 1} : Shape{1, n};
  const ValueId given = program.input(has_batch ? Shape{2, n} : Shape{n});
  const ValueId diagonal =
      program.node(Op::kReshape, {given}, {{"shape", has_batch ? Shape{2, kept[0], kept[1]} : kept}});
  const auto numbers = [&](double start) {
    return program.node(
        Op::kArange, {},
        {{"start", start}, {"end", start + static_cast<double>(n)}, {"step", 1.0}, {"dtype", DataType::kInt64}});
  };
  const bool is_beside = program.below(5) == 0;  // the main diagonal is it alone
  const ValueId rows = program.node(Op::kReshape, {numbers(0)}, {{"shape", Shape{n, 1}}});
  const ValueId columns = numbers(is_beside ? 1 : 0);
  const ValueId mask =
      program.below(2) == 0 ? program.node(Op::kEq, {rows, columns}) : program.node(Op::kEq, {columns, rows});
  const ValueId matrix = program.node(Op::kWhere, {mask, diagonal, ir::Scalar{program.below(5) == 0 ? 1.0 : 0.0}});
  const TensorRole role = program.below(2) == 0 ? TensorRole::kInput : TensorRole::kParameter;
  const int64_t other = program.below(4) + 1;
  const bool is_left = program.below(2) == 0;
  const ValueId scaled = program.input(is_left ? Shape{n, other} : Shape{other, n}, role);
  program.give(program.node(
      Op::kMatmul, is_left ? std::vector<ir::Operand>{matrix, scaled} : std::vector<ir::Operand>{scaled, matrix}));
  return program.finish();
}

// x through a few weights, of either sign, between which something else may stand.
ir::Graph products_in_a_row(uint32_t seed) {
  Drawing program(seed, "row");
  const auto weight = [&](Shape shape) {
    const TensorRole role = program.below(8) == 0 ? TensorRole::kInput : TensorRole::kParameter;
    return program.node(Op::kSub, {program.input(std::move(shape), role), ir::Scalar{1.0}});
  };
  ValueId x = program.input({program.below(2) + 1, program.below(3) + 2, program.below(5) + 1});
  for (int64_t left = program.below(3) + 2; left > 0; --left) {
    const int64_t depth = program.shape(x).back(), columns = program.below(5) + 1;
    if (program.below(2) == 0) {
      x = program.node(Op::kMatmul, {x, weight({depth, columns})});
    } else {
      const ir::Operand bias = program.below(2) == 0 ? ir::Operand{weight({columns})} : ir::Operand{ir::Absent{}};
      x = program.node(Op::kLinear, {x, weight({columns, depth}), bias});
    }
    if (program.below(6) == 0) {
      program.give(x);
    }
    if (program.below(6) == 0) {
      x = program.node(Op::kMul, {x, x});
    }
  }
  program.give(x);
  return program.finish();
}

// An input that is scaled along some of its axes, seen through views, as either operand of a product.
ir::Graph product_of_scaled(uint32_t seed) {
  Drawing program(seed, "scaled");
  const Shape shape = {program.below(2) + 1, program.below(3) + 1, 2 * (program.below(2) + 1), program.below(3) + 1};
  Shape along = shape;
  for (int64_t& extent : along) {
    extent = program.below(2) == 0 ? 1 : extent;
  }
  const TensorRole role = program.below(6) == 0 ? TensorRole::kInput : TensorRole::kParameter;
  ValueId x = program.node(Op::kMul, {program.input(shape), program.input(along, role)});
  Shape dims = {0, 1, 2, 3};
  for (size_t axis = 3; axis > 0; --axis) {
    std::swap(dims[axis], dims[static_cast<size_t>(program.below(static_cast<int64_t>(axis) + 1))]);
  }
  x = program.node(Op::kPermute, {x}, {{"dims", dims}});
  Shape seen = program.shape(x);
  const auto merged = static_cast<size_t>(program.below(3));
  seen[merged] *= seen[merged + 1];
  seen.erase(seen.begin() + static_cast<int64_t>(merged) + 1);
  x = program.node(Op::kReshape, {x}, {{"shape", seen}});
  if (program.below(8) == 0) {
    program.give(x);
  }
  const int64_t other = program.below(3) + 1;
  const bool is_left = program.below(2) == 0;
  Shape weight = is_left ? Shape{seen[2], other} : Shape{other, seen[1]};
  if (program.below(2) == 0) {
    weight.insert(weight.begin(), seen[0]);
  }
  if (is_left && weight.size() == 2 && program.below(2) == 0) {
    const ValueId layer = program.input({other, seen[2]}, TensorRole::kParameter);
    program.give(program.node(Op::kLinear, {x, layer, ir::Absent{}}));
    return program.finish();
  }
  const ValueId given = program.input(weight, TensorRole::kParameter);
  program.give(
      program.node(Op::kMatmul, is_left ? std::vector<ir::Operand>{x, given} : std::vector<ir::Operand>{given, x}));
  return program.finish();
}

// Rows of a single one, as programs make them, times a weight; indices may lie beside the classes.
ir::Graph product_with_one_hots(uint32_t seed) {
  Drawing program(seed, "one_hots");
  const int64_t rows = program.below(4) + 1, classes = program.below(3) + 1, columns = program.below(4) + 1;
  const ValueId index = program.input({2, rows, 1}, TensorRole::kInput, DataType::kInt64);
  const Shape shape = {2, rows, classes};
  ValueId hot;
  if (program.below(4) == 0) {
    const auto full = [&](Shape of, double value) {
      return program.node(Op::kFull, {}, {{"shape", std::move(of)}, {"value", value}, {"dtype", DataType::kFloat32}});
    };
    const double one = program.below(4) == 0 ? 2.0 : 1.0;
    hot = program.node(Op::kScatter, {full(shape, 0.0), index, full({2, rows, 1}, one)},
                       {{"dim", int64_t{2}}, {"reduce", std::string("none")}, {"include_self", true}});
  } else {
    const double start = static_cast<double>(program.below(3)) - 1.0;
    const double step = program.below(5) == 0 ? -1.0 : 1.0;
    const ValueId numbers = program.node(Op::kArange, {},
                                         {{"start", start},
                                          {"end", start + step * static_cast<double>(classes)},
                                          {"step", step},
                                          {"dtype", DataType::kInt64}});
    const ValueId is_class =
        program.below(2) == 0 ? program.node(Op::kEq, {index, numbers}) : program.node(Op::kEq, {numbers, index});
    const auto number = [&](double value) {
      return program.node(Op::kFull, {}, {{"shape", Shape{}}, {"value", value}, {"dtype", DataType::kFloat32}});
    };
    hot = program.below(3) == 0 ? program.node(Op::kWhere, {is_class, number(1.0), ir::Scalar{0.0}})
                                : program.node(Op::kTo, {is_class}, {{"dtype", DataType::kFloat32}});
  }
  const TensorRole role = program.below(4) == 0 ? TensorRole::kInput : TensorRole::kParameter;
  const bool is_linear = program.below(2) == 0;
  const ValueId weight = program.input(is_linear ? Shape{columns, classes} : Shape{classes, columns}, role);
  program.give(is_linear ? program.node(Op::kLinear, {hot, weight, program.input({columns})})
                         : program.node(Op::kMatmul, {hot, weight}));
  return program.finish();
}

// A chain of what a range can be followed through, and what it cannot, of which small parts are returned.
class ChainThatIsCut {
 public:
  explicit ChainThatIsCut(uint32_t seed) : program_(seed, "cut") {}

  ir::Graph make() {
    values_.push_back(program_.input({program_.below(3) + 2, program_.below(3) + 3, program_.below(3) + 2}));
    constexpr int kNodes = 9;
    for (int i = 0; i < kNodes; ++i) {
      values_.push_back(node_on(values_[values_.size() - 1 - (program_.below(3) == 0 ? values_.size() / 2 : 0)]));
    }
    if (program_.below(6) == 0) {
      program_.give(values_[values_.size() / 2]);
    }
    program_.give(cut(values_.back()));
    program_.give(cut(values_[values_.size() - 2]));
    return program_.finish();
  }

 private:
  int64_t drawn_axis(ValueId value) { return program_.below(static_cast<int64_t>(program_.shape(value).size())); }
  int64_t last_axis(ValueId value) { return static_cast<int64_t>(program_.shape(value).size()) - 1; }
  ValueId parameter(Shape shape) { return program_.input(std::move(shape), TensorRole::kParameter); }

  ValueId cut(ValueId value) {
    if (program_.shape(value).empty()) {
      return program_.node(Op::kRelu, {value});
    }
    const int64_t axis = drawn_axis(value);
    const int64_t extent = program_.shape(value)[static_cast<size_t>(axis)];
    const int64_t start = program_.below(extent);
    if (program_.below(2) == 0) {
      return program_.node(Op::kSelect, {value}, {{"dim", axis}, {"index", start}});
    }
    const int64_t end = start + 1 + program_.below(extent - start);
    return program_.node(Op::kSlice, {value},
                         {{"dim", axis}, {"start", start}, {"end", end}, {"step", program_.below(2) + 1}});
  }

  ValueId swapped(ValueId value) {
    Shape dims;
    for (int64_t axis = 0; axis <= last_axis(value); ++axis) {
      dims.push_back(axis);
    }
    std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
    return program_.node(Op::kPermute, {value}, {{"dims", dims}});
  }

  ValueId node_on(ValueId value) {
    const Shape shape = program_.shape(value);
    if (shape.size() < 2) {
      return program_.node(Op::kRelu, {values_.front()});
    }
    switch (program_.below(14)) {
      case 0:
        return program_.node(Op::kAdd, {value, parameter({shape.back()})});
      case 1:
        return program_.node(Op::kMul, {value, cut_to_one(value)});
      case 2:
        return program_.node(Op::kLinear, {value, parameter({3, shape.back()}), parameter({3})});
      case 3:
        return program_.node(Op::kSoftmax, {value}, {{"dim", drawn_axis(value)}});
      case 4:
        return program_.node(Op::kLayerNorm, {value, ir::Absent{}, parameter({shape.back()})},
                             {{"normalized_shape", Shape{shape.back()}}, {"eps", 1e-3}});
      case 5:
        return swapped(value);
      case 6:
        return reshaped(value);
      case 7:
        return program_.node(program_.below(2) == 0 ? Op::kSum : Op::kAmax, {value},
                             {{"dim", Shape{drawn_axis(value)}}, {"keepdim", program_.below(2) == 0}});
      case 8:
        return program_.node(Op::kMatmul, {value, swapped(value)});
      case 9:
        return attention(value);
      case 10:
        return program_.node(Op::kCat, {value, value, parameter(shape)}, {{"dim", drawn_axis(value)}});
      case 11:
        return expanded(value);
      case 12:
        return program_.node(Op::kCumsum, {value}, {{"dim", drawn_axis(value)}});
      default:
        return cut(value);
    }
  }

  // One row of it, which the rest is multiplied by.
  ValueId cut_to_one(ValueId value) {
    return program_.node(
        Op::kSlice, {value},
        {{"dim", drawn_axis(value)}, {"start", int64_t{0}}, {"end", int64_t{1}}, {"step", int64_t{1}}});
  }

  ValueId attention(ValueId value) {
    const bool is_causal = program_.below(2) == 0;
    const int64_t rows = program_.shape(value)[program_.shape(value).size() - 2];
    const ir::Operand mask =
        is_causal || program_.below(2) == 0 ? ir::Operand{ir::Absent{}} : ir::Operand{parameter({rows, rows})};
    return program_.node(Op::kScaledDotProductAttention, {value, value, value, mask},
                         {{"is_causal", is_causal}, {"scale", 0.5}, {"enable_gqa", false}});
  }

  ValueId expanded(ValueId value) {
    Shape with_one = program_.shape(value);
    with_one.insert(with_one.begin() + 1, 1);
    Shape repeated = with_one;
    repeated[1] = 2;
    const ValueId seen = program_.node(Op::kReshape, {value}, {{"shape", with_one}});
    return program_.node(Op::kExpand, {seen}, {{"shape", repeated}});
  }

  // Two neighbouring axes as one, or the first as two.
  ValueId reshaped(ValueId value) {
    Shape shape = program_.shape(value);
    if (shape[0] % 2 == 0 && program_.below(2) == 0) {
      shape[0] /= 2;
      shape.insert(shape.begin(), 2);
    } else {
      const int64_t axis = program_.below(last_axis(value));
      shape[static_cast<size_t>(axis)] *= shape[static_cast<size_t>(axis) + 1];
      shape.erase(shape.begin() + axis + 1);
    }
    return program_.node(Op::kReshape, {value}, {{"shape", shape}});
  }

  Drawing program_;
  std::vector<ValueId> values_;
};

ir::Graph chain_that_is_cut(uint32_t seed) { return ChainThatIsCut(seed).make(); }

TEST(RandomPrograms, MergedProductsMeanTheSame) {
  const int changed = changed_by(merge_products, products_of_one);
  EXPECT_GT(changed, 20);
  EXPECT_LT(changed, 80);
}

TEST(RandomPrograms, ScaledRowsAndColumnsMeanTheSame) {
  const int changed = changed_by(scale_by_diagonals, product_with_diagonal);
  EXPECT_GT(changed, 40);
  EXPECT_LT(changed, 90);
}

TEST(RandomPrograms, ScaledWeightsMeanTheSame) {
  const int changed = changed_by(scale_weights, product_of_scaled);
  EXPECT_GT(changed, 15);
  EXPECT_LT(changed, 80);
}

TEST(RandomPrograms, OrderedProductsMeanTheSame) {
  const int changed = changed_by(order_products, products_in_a_row, testing::OddKind::kAny);
  EXPECT_GT(changed, 20);
  EXPECT_LT(changed, 80);
}

TEST(RandomPrograms, LookedUpOneHotsMeanTheSame) {
  const int changed = changed_by(look_up_one_hots, product_with_one_hots);
  EXPECT_GT(changed, 30);
  EXPECT_LT(changed, 90);
}

TEST(RandomPrograms, NarrowedChainsMeanTheSame) {
  const int changed = changed_by(narrow_to_reads, chain_that_is_cut);
  EXPECT_GT(changed, 40);
}

TEST(RandomPrograms, DiagonalsLeaveNoProduct) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const ir::Graph before = product_with_diagonal(seed);
    const auto after = scale_by_diagonals(before);
    ASSERT_TRUE(after.has_value());
    EXPECT_EQ(count_of(*after, Op::kMatmul), ir::print(before) == ir::print(*after) ? 1 : 0);
  }
}

}  // namespace
}  // namespace stitch::plan

// SPDX-License-Identifier: Apache-2.0
// Programs put together by chance of what the passes look for and of what keeps them away: rewritten they compute the
// same, and what is infinite or not a number stays so where it was.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "ir/build/builder.h"
#include "ir/eval/interpret.h"
#include "ir/graph/op.h"
#include "ir/text/printer.h"
#include "ir/validate/validate.h"
#include "plan/rewrite/rewrite.h"
#include "plan/testing/random_inputs.h"

namespace stitch::plan {
namespace {

using ir::Op;
using ir::ValueId;
using NodeAttributes = std::vector<std::pair<std::string, ir::Attribute>>;

class RandomAlgebra {
 public:
  explicit RandomAlgebra(uint32_t seed) : draw_(seed), builder_(graph_) {
    graph_.name = "algebra";
    graph_.mode = "train";
  }

  ir::Graph make() {
    const ValueId image = input(extents(below(2) == 0 ? 4 : 5));
    const bool is_plain = below(2) == 0;  // what is infinite is asked for exactly only without products of matrices
    const ValueId made = worked(is_plain ? image : convolved(image));
    is_plain ? give_statistics(made) : finish(made);
    if (below(4) == 0) {
      give(worked(made));
    }
    if (!is_plain) {
      finish_product();
    }
    return graph_;
  }

 private:
  int64_t below(int64_t end) { return std::uniform_int_distribution<int64_t>(0, end - 1)(draw_); }
  const std::vector<int64_t>& shape(ValueId value) const { return graph_.type(value).shape; }
  std::vector<int64_t> extents(size_t rank) {
    std::vector<int64_t> drawn = {below(2) + 2, 2 * (below(2) + 1)};
    while (drawn.size() < rank) {
      drawn.push_back(below(3) + 5);
    }
    return drawn;
  }
  std::vector<int64_t> numbers(size_t count, int64_t least, int64_t choices) {
    std::vector<int64_t> drawn(count);
    for (int64_t& number : drawn) {
      number = least + below(choices);
    }
    return drawn;
  }
  ValueId input(std::vector<int64_t> of, TensorRole role = TensorRole::kInput) {
    const std::string name = "v" + std::to_string(graph_.inputs.size());
    return builder_.add_input(name, {DataType::kFloat32, std::move(of)}, role, name);
  }
  ValueId parameter(std::vector<int64_t> of) { return input(std::move(of), TensorRole::kParameter); }
  ValueId node(Op op, std::vector<ir::Operand> operands, NodeAttributes attributes = {}) {
    auto made = builder_.add_one({op, std::move(operands), std::move(attributes), {}, {}});
    EXPECT_TRUE(made.has_value()) << made.error().message;
    return *made;
  }
  void give(ValueId value) {
    graph_.outputs.push_back({value, TensorRole::kOutput, std::to_string(graph_.outputs.size())});
  }

  ValueId convolved(ValueId image) {
    const size_t axes = shape(image).size() - 2;
    const bool is_transposed = below(2) == 0;
    const int64_t channels = shape(image)[1], made = 2 * (below(2) + 1);
    const std::vector<int64_t> stride = numbers(axes, 1, 2);
    NodeAttributes attributes = {{"stride", stride}, {"padding", numbers(axes, 0, 2)}};
    if (is_transposed) {
      attributes.emplace_back("output_padding", numbers(axes, 0, *std::min_element(stride.begin(), stride.end())));
    }
    attributes.emplace_back("dilation", below(3) == 0 ? numbers(axes, 1, 2) : numbers(axes, 1, 1));
    attributes.emplace_back("groups", int64_t{1});
    std::vector<int64_t> weight = is_transposed ? std::vector{channels, made} : std::vector{made, channels};
    for (const int64_t taps : numbers(axes, 1, 3)) {
      weight.push_back(taps);
    }
    const ir::Operand bias = below(2) == 0 ? ir::Operand{parameter({made})} : ir::Operand{ir::Absent{}};
    const Op two = is_transposed ? Op::kConvTranspose2d : Op::kConv2d;
    const Op three = is_transposed ? Op::kConvTranspose3d : Op::kConv3d;
    return node(axes == 2 ? two : three, {image, parameter(weight), bias}, attributes);
  }

  // Scaled, shifted and normalised, a few times.
  ValueId worked(ValueId value) {
    for (int64_t left = below(4); left > 0; --left) {
      std::vector<int64_t> channel(shape(value).size() - 1, 1);
      channel[0] = shape(value)[1];
      const ir::Operand by = below(3) == 0   ? ir::Operand{ir::Scalar{0.5}}
                             : below(2) == 0 ? ir::Operand{input(channel)}
                                             : ir::Operand{parameter(channel)};
      const std::vector<Op> ops = {Op::kMul, Op::kAdd, Op::kSub, Op::kDiv};
      const Op op = ops[static_cast<size_t>(below(4))];
      const bool is_turned = op != Op::kDiv && below(3) == 0;
      value = is_turned ? node(op, {by, value}) : node(op, {value, by});
    }
    switch (below(5)) {
      case 0:
        return group_norm(value);
      case 1:
        return batch_norm(value);
      case 2:
        return by_deviation(value);
      default:
        return value;
    }
  }

  // Divided, or multiplied, by what a variance gives.
  ValueId by_deviation(ValueId value) {
    std::vector<int64_t> axes = {0};
    for (size_t axis = 2; axis < shape(value).size(); ++axis) {
      axes.push_back(static_cast<int64_t>(axis));
    }
    const ValueId variance = node(Op::kVar, {value}, {{"dim", axes}, {"correction", below(2)}, {"keepdim", true}});
    const ValueId raised = node(Op::kAdd, {variance, ir::Scalar{1e-3}});
    return below(2) == 0 ? node(Op::kDiv, {value, node(Op::kSqrt, {raised})})
                         : node(Op::kMul, {node(Op::kRsqrt, {raised}), value});
  }

  ValueId group_norm(ValueId value) {
    const std::vector<int64_t> whole = shape(value);
    const int64_t rows = whole[0] * (below(2) == 0 ? 1 : whole[1]);
    const int64_t row = graph_.type(value).element_count() / rows;
    const ValueId seen = node(Op::kReshape, {value}, {{"shape", std::vector<int64_t>{rows, row}}});
    const ValueId normal = node(Op::kLayerNorm, {seen, ir::Absent{}, ir::Absent{}},
                                {{"normalized_shape", std::vector{row}}, {"eps", 1e-3}});
    return node(Op::kReshape, {normal}, {{"shape", whole}});
  }

  ValueId batch_norm(ValueId value) {
    const std::vector<int64_t> channels = {shape(value)[1]};
    auto made = builder_.add({Op::kBatchNorm,
                              {value, parameter(channels), parameter(channels), ir::Absent{}, ir::Absent{}},
                              {{"training", true}, {"momentum", 0.1}, {"eps", 1e-3}},
                              {},
                              {}});
    EXPECT_TRUE(made.has_value()) << made.error().message;
    return (*made)[0];
  }

  ValueId reduced(ValueId value, bool keeps_axes) {
    std::vector<int64_t> axes;
    const bool is_whole = below(2) == 0;
    for (size_t axis = is_whole ? 2 : static_cast<size_t>(below(2)); axis < shape(value).size(); ++axis) {
      if (is_whole || below(2) == 0) {
        axes.push_back(static_cast<int64_t>(axis));
      }
    }
    axes = axes.empty() ? std::vector<int64_t>{2} : axes;
    return node(below(3) == 0 ? Op::kSum : Op::kMean, {value}, {{"dim", axes}, {"keepdim", keeps_axes}});
  }

  ValueId pooled(ValueId value) {
    const size_t axes = shape(value).size() - 2;
    for (size_t axis = 2; axis < shape(value).size(); ++axis) {
      if (shape(value)[axis] < 3) {
        return value;
      }
    }
    const std::vector<int64_t> kernel = numbers(axes, 1, 2);
    NodeAttributes attributes = {{"kernel_size", kernel}, {"stride", kernel}};
    if (below(2) == 0) {
      attributes.insert(attributes.end(), {{"padding", numbers(axes, 0, 1)},
                                           {"ceil_mode", false},
                                           {"count_include_pad", true},
                                           {"divisor_override", int64_t{0}}});
      return node(axes == 2 ? Op::kAvgPool2d : Op::kAvgPool3d, {value}, attributes);
    }
    attributes.insert(attributes.end(),
                      {{"padding", numbers(axes, 0, 1)}, {"dilation", numbers(axes, 1, 1)}, {"ceil_mode", false}});
    return node(axes == 2 ? Op::kMaxPool2d : Op::kMaxPool3d, {value}, attributes);
  }

  void finish(ValueId value) {
    switch (below(4)) {
      case 0:
        return give(reduced(value, below(2) == 0));
      case 1:
        return give(node(Op::kSub, {value, reduced(value, true)}));
      case 2:
        return give(pooled(pooled(value)));
      default:
        return give_statistics(value);
    }
  }

  void give_statistics(ValueId value) {
    give(reduced(value, false));
    give(reduced(worked(value), below(2) == 0));
  }

  void finish_product() {
    const std::vector<int64_t> rows = {below(3) + 2, below(3) + 2, below(3) + 3};
    const ValueId x = input(rows);
    const int64_t columns = below(3) + 2;
    const ValueId product = below(2) == 0 ? node(Op::kMatmul, {x, parameter({rows[2], columns})})
                                          : node(Op::kLinear, {x, parameter({columns, rows[2]}), parameter({columns})});
    const ValueId scaled = below(2) == 0 ? product : node(Op::kMul, {parameter({columns}), product});
    give(node(below(2) == 0 ? Op::kSum : Op::kMean, {scaled},
              {{"dim", std::vector<int64_t>{below(3)}}, {"keepdim", below(2) == 0}}));
  }

  std::mt19937 draw_;
  ir::Graph graph_;
  ir::Builder builder_;
};

// Products of infinite numbers may be infinite or no number, as they are summed.
bool multiplies_matrices(const ir::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const ir::Node& node) {
    return node.op == Op::kConv2d || node.op == Op::kConv3d || node.op == Op::kConvTranspose2d ||
           node.op == Op::kConvTranspose3d || node.op == Op::kLinear || node.op == Op::kMatmul;
  });
}

// Sums of other order: small beside the largest of a result. `asks_kind`: infinite where it was, of either sign.
void expect_alike(const ir::ReferenceTensor& wanted, const ir::ReferenceTensor& got, bool asks_kind,
                  const std::string& what) {
  constexpr double kTolerance = 1e-9;  // the interpreter computes in double
  ASSERT_EQ(wanted.type.shape, got.type.shape) << what;
  double largest = 1;
  for (const double value : wanted.data) {
    largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
  }
  for (size_t i = 0; i < wanted.data.size(); ++i) {
    if (std::isfinite(wanted.data[i])) {
      ASSERT_NEAR(wanted.data[i], got.data[i], kTolerance * largest) << what << " at " << i;
      continue;
    }
    ASSERT_FALSE(std::isfinite(got.data[i])) << what << " at " << i;
    if (asks_kind && !std::isnan(wanted.data[i])) {
      ASSERT_EQ(wanted.data[i], got.data[i]) << what << " at " << i;
    } else if (asks_kind) {
      ASSERT_TRUE(std::isnan(got.data[i])) << what << " at " << i;
    }
  }
}

// A mean behind a norm, of rows just large enough to be reduced, whose results a factor was applied to, `factor_first`
// or not.
ir::Graph factor_before_mean(Op op, bool factor_first, TensorRole role) {
  constexpr int64_t kParts = 4;
  constexpr int64_t kRow = int64_t{1} << 15;
  ir::Graph graph;
  graph.name = "factor";
  graph.mode = "eval";
  ir::Builder builder(graph);
  const ValueId x = builder.add_input("x", {DataType::kFloat32, {1, kRow}}, TensorRole::kInput, "x");
  const ValueId factor = builder.add_input("f", {DataType::kFloat32, {kParts, 1}}, role, "f");
  const auto node = [&](Op of, std::vector<ir::Operand> operands, NodeAttributes attributes) {
    return *builder.add_one({of, std::move(operands), std::move(attributes), {}, {}});
  };
  const ValueId normal = node(Op::kLayerNorm, {x, ir::Absent{}, ir::Absent{}},
                              {{"normalized_shape", std::vector<int64_t>{kRow}}, {"eps", 1e-3}});
  const ValueId parts = node(Op::kReshape, {normal}, {{"shape", std::vector<int64_t>{1, kParts, kRow / kParts}}});
  const ValueId scaled = factor_first ? node(op, {factor, parts}, {}) : node(op, {parts, factor}, {});
  const ValueId mean = node(Op::kMean, {scaled}, {{"dim", std::vector<int64_t>{2}}, {"keepdim", true}});
  graph.outputs = {{mean, TensorRole::kOutput, "0"}};
  return graph;
}

bool normalises(const ir::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const ir::Node& node) { return node.op == Op::kLayerNorm; });
}

// Interprets `before` and its rewritten form with `odd` as the first element of input `place`.
void expect_alike_with(const ir::Graph& before, const ir::Graph& after, size_t place, double odd) {
  auto inputs = testing::random_inputs(before, 7);
  inputs[place].data[0] = odd;
  const auto wanted = ir::interpret(before, inputs);
  const auto got = ir::interpret(after, inputs);
  ASSERT_TRUE(wanted.has_value() && got.has_value());
  expect_alike((*wanted)[0], (*got)[0], true, ir::print(after));
}

constexpr double kOddNumbers[] = {0.0, std::numeric_limits<double>::infinity(),
                                  -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};

TEST(Algebra, InfiniteFactorsAndZeroDivisorsStayWithinSums) {
  for (const Op op : {Op::kMul, Op::kDiv, Op::kAdd, Op::kSub}) {
    for (const bool factor_first : {false, true}) {
      const ir::Graph before = factor_before_mean(op, factor_first, TensorRole::kInput);
      const auto after = rewrite(before);
      ASSERT_TRUE(after.has_value());
      for (const double odd : kOddNumbers) {
        expect_alike_with(before, *after, 1, odd);
      }
    }
  }
}

TEST(Algebra, MeansOfLargeNormalisedRowsAreThoseOfTheirParts) {
  for (const Op op : {Op::kMul, Op::kDiv, Op::kAdd, Op::kSub}) {
    const ir::Graph before = factor_before_mean(op, false, TensorRole::kParameter);
    const auto after = rewrite(before);
    ASSERT_TRUE(after.has_value());
    EXPECT_EQ(normalises(*after), op == Op::kDiv) << ir::print(*after);  // a divisor may be zero
    expect_alike_with(before, *after, 0, 1.0);
    for (const double odd : kOddNumbers) {
      expect_alike_with(before, *after, 0, odd);
    }
  }
}

TEST(Algebra, RandomProgramsMeanTheSame) {
  constexpr uint32_t kPrograms = 100;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  int changed = 0;
  for (uint32_t seed = 0; seed < kPrograms; ++seed) {
    const ir::Graph before = RandomAlgebra(seed).make();
    const auto after = rewrite(before);
    ASSERT_TRUE(after.has_value()) << "seed " << seed << ": " << after.error().message;
    ASSERT_TRUE(ir::validate(*after).has_value()) << "seed " << seed << ":\n" << ir::print(*after);
    changed += ir::print(before) != ir::print(*after) ? 1 : 0;
    auto inputs = testing::random_inputs(before, seed);
    std::mt19937 draw(seed);
    for (ir::ReferenceTensor& input : inputs) {
      for (double& number : input.data) {
        number = draw() % 2 == 0 ? number : -number;
      }
    }
    for (const double odd : {1.0, 0.0, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
      const size_t odd_input = draw() % inputs.size();
      std::vector<double>& data = inputs[odd_input].data;
      const size_t place = draw() % data.size();
      const double usual = data[place];
      data[place] = odd;
      const bool asks_kind = !multiplies_matrices(before) && before.inputs[odd_input].role == TensorRole::kInput;
      const auto wanted = ir::interpret(before, inputs);
      const auto got = ir::interpret(*after, inputs);
      ASSERT_TRUE(wanted.has_value() && got.has_value()) << "seed " << seed;
      for (size_t output = 0; output < wanted->size(); ++output) {
        const std::string what = "seed " + std::to_string(seed) + ", " + std::to_string(odd) + ", output " +
                                 std::to_string(output) + "\n" + ir::print(before) + ir::print(*after);
        expect_alike((*wanted)[output], (*got)[output], asks_kind, what);
      }
      data[place] = usual;
      if (::testing::Test::HasFatalFailure()) {
        return;
      }
    }
  }
  EXPECT_GT(changed, kPrograms / 2);
}

}  // namespace
}  // namespace stitch::plan

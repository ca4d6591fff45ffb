// SPDX-License-Identifier: Apache-2.0
// Contractions put together by chance: what follows its operands means the same, and no product has more copied.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "ir/build/builder.h"
#include "ir/eval/interpret.h"
#include "ir/graph/op.h"
#include "ir/text/printer.h"
#include "ir/validate/validate.h"
#include "plan/rewrite/copied_operands.h"
#include "plan/rewrite/rewrite.h"
#include "plan/testing/random_inputs.h"

namespace stitch::plan {
namespace {

using ir::ValueId;

// Pointwise work on tensors that are seen through permutations, then views, then products, softmaxes and outputs.
class RandomContraction {
 public:
  explicit RandomContraction(uint32_t seed) : draw_(seed), builder_(graph_) {
    graph_.name = "contraction";
    graph_.mode = "eval";
  }

  ir::Graph make() {
    const int64_t rank = below(3) + 3;
    for (int64_t axis = 0; axis < rank; ++axis) {
      shape_.push_back(below(5) == 0 ? 1 : below(4) + 2);
    }
    ValueId value = seen_permuted(shape_);
    for (int64_t i = below(3) + 1; i > 0; --i) {
      value = worked(value);
    }
    for (int64_t i = below(4) == 0 ? 2 : 1; i > 0; --i) {
      read(value);
    }
    return graph_;
  }

 private:
  int64_t below(int64_t end) { return std::uniform_int_distribution<int64_t>(0, end - 1)(draw_); }
  std::vector<int64_t> shape(ValueId value) const { return graph_.type(value).shape; }
  ValueId input(std::vector<int64_t> extents) {
    const std::string name = "x" + std::to_string(graph_.inputs.size());
    return builder_.add_input(name, {DataType::kFloat32, std::move(extents)}, TensorRole::kInput, name);
  }
  ValueId node(ir::Op op, std::vector<ir::Operand> operands,
               std::vector<std::pair<std::string, ir::Attribute>> attributes = {}) {
    auto made = builder_.add_one({op, std::move(operands), std::move(attributes), {}, {}});
    EXPECT_TRUE(made.has_value()) << made.error().message;
    return *made;
  }
  void give(ValueId value) {
    graph_.outputs.push_back({value, TensorRole::kOutput, std::to_string(graph_.outputs.size())});
  }

  std::vector<int64_t> order(size_t rank) {
    std::vector<int64_t> dims(rank);
    std::iota(dims.begin(), dims.end(), int64_t{0});
    std::shuffle(dims.begin(), dims.end(), draw_);
    return dims;
  }

  // A new input, as a value of `extents`; often in the order of the last one.
  ValueId seen_permuted(const std::vector<int64_t>& extents) {
    if (dims_.size() != extents.size() || below(3) == 0) {
      dims_ = order(extents.size());
    }
    std::vector<int64_t> stored(extents.size());
    for (size_t axis = 0; axis < extents.size(); ++axis) {
      stored[static_cast<size_t>(dims_[axis])] = extents[axis];
    }
    return node(ir::Op::kPermute, {input(stored)}, {{"dims", dims_}});
  }

  ValueId worked(ValueId value) {
    std::vector<int64_t> extents = shape(value);
    switch (below(4)) {
      case 0:
        return node(ir::Op::kExp, {value});
      case 1:
        return node(ir::Op::kAdd, {value, seen_permuted(extents)});
      case 2:
        extents.erase(extents.begin());
        return node(ir::Op::kMul, {input(extents), value});
      default:
        extents[static_cast<size_t>(below(static_cast<int64_t>(extents.size())))] = 1;
        return node(ir::Op::kMul, {value, seen_permuted(extents)});
    }
  }

  void read(ValueId value) {
    if (below(2) == 0) {
      value = node(ir::Op::kPermute, {value}, {{"dims", order(shape(value).size())}});
    }
    std::vector<int64_t> extents = shape(value);
    if (below(3) == 0) {
      extents = {std::accumulate(extents.begin(), extents.end() - 2, int64_t{1}, std::multiplies<>()),
                 extents[extents.size() - 2], extents.back()};
      value = node(ir::Op::kReshape, {value}, {{"shape", extents}});
    }
    if (below(6) == 0) {
      return give(node(ir::Op::kSoftmax, {value}, {{"dim", int64_t{0}}}));
    }
    if (below(6) == 0) {
      give(value);
    }
    std::vector<int64_t> other = extents;
    std::swap(other[other.size() - 2], other.back());
    give(below(2) == 0 ? node(ir::Op::kMatmul, {value, input(other)}) : node(ir::Op::kMatmul, {input(other), value}));
  }

  std::mt19937 draw_;
  ir::Graph graph_;
  ir::Builder builder_;
  std::vector<int64_t> shape_;
  std::vector<int64_t> dims_;
};

size_t count_copied(const ir::Graph& graph) {
  size_t count = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].op == ir::Op::kMatmul) {
      count += copied_operands(graph, ir::NodeId{static_cast<int32_t>(i)}).size();
    }
  }
  return count;
}

TEST(FollowOperands, RandomContractionsMeanTheSameAndCopyNoMore) {
  constexpr uint32_t kGraphs = 400;
  constexpr double kTolerance = 1e-9;  // relative; the interpreter computes in double
  int changed = 0;
  for (uint32_t seed = 0; seed < kGraphs; ++seed) {
    const ir::Graph before = RandomContraction(seed).make();
    const auto after = follow_operands(before);
    ASSERT_TRUE(after.has_value()) << "seed " << seed << ": " << after.error().message;
    ASSERT_TRUE(ir::validate(*after).has_value()) << "seed " << seed << ":\n" << ir::print(*after);
    if (ir::print(before) == ir::print(*after)) {
      continue;
    }
    ++changed;
    EXPECT_LE(count_copied(*after), count_copied(before)) << "seed " << seed << ":\n" << ir::print(*after);
    const auto inputs = testing::random_inputs(before, seed);
    const auto wanted = ir::interpret(before, inputs);
    const auto got = ir::interpret(*after, inputs);
    ASSERT_TRUE(wanted.has_value() && got.has_value()) << "seed " << seed;
    for (size_t output = 0; output < wanted->size(); ++output) {
      ASSERT_EQ((*wanted)[output].type.shape, (*got)[output].type.shape) << "seed " << seed;
      for (size_t i = 0; i < (*wanted)[output].data.size(); ++i) {
        const double value = (*wanted)[output].data[i];
        ASSERT_NEAR(value, (*got)[output].data[i], kTolerance * (1.0 + std::abs(value)))
            << "seed " << seed << ", output " << output << " at " << i << ":\n"
            << ir::print(*after);
      }
    }
  }
  EXPECT_GT(changed, 20) << "too few of the drawn graphs have anything to move";
}

}  // namespace
}  // namespace stitch::plan

// SPDX-License-Identifier: Apache-2.0
// Programs whose nodes are drawn, and what a pass must leave of them: their meaning, and what is infinite or not a
// number where it was. For tests alone.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ir/build/builder.h"
#include "ir/eval/interpret.h"
#include "ir/graph/op.h"
#include "ir/text/printer.h"
#include "ir/validate/validate.h"
#include "plan/testing/random_inputs.h"

namespace stitch::testing {

constexpr double kOddNumbers[] = {1.0, 0.0, std::numeric_limits<double>::infinity(),
                                  -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};

// A program whose nodes are drawn.
class Drawing {
 public:
  Drawing(uint32_t seed, const char* name) : draw_(seed), builder_(graph_) {
    graph_.name = name;
    graph_.mode = "eval";
  }
  int64_t below(int64_t end) { return std::uniform_int_distribution<int64_t>(0, end - 1)(draw_); }
  ir::ValueId input(std::vector<int64_t> shape, TensorRole role = TensorRole::kInput,
                    DataType dtype = DataType::kFloat32) {
    const std::string name = "v" + std::to_string(graph_.inputs.size());
    return builder_.add_input(name, {dtype, std::move(shape)}, role, name);
  }
  ir::ValueId node(ir::Op op, std::vector<ir::Operand> operands,
                   std::vector<std::pair<std::string, ir::Attribute>> attributes = {}) {
    auto made = builder_.add_one({op, std::move(operands), std::move(attributes), {}, {}});
    EXPECT_TRUE(made.has_value()) << made.error().message;
    return *made;
  }
  void give(ir::ValueId value) {
    graph_.outputs.push_back({value, TensorRole::kOutput, std::to_string(graph_.outputs.size())});
  }
  const std::vector<int64_t>& shape(ir::ValueId value) const { return graph_.type(value).shape; }
  ir::Graph finish() { return graph_; }

 private:
  std::mt19937 draw_;
  ir::Graph graph_;
  ir::Builder builder_;
};

// What is not finite has to be so. Sums of infinite numbers may be infinite or no number, as they are ordered: which of
// the two is asked only where it is `kKept`.
enum class OddKind { kKept, kAny };

inline void expect_same(const ir::ReferenceTensor& wanted, const ir::ReferenceTensor& got, OddKind kind,
                        const std::string& what) {
  constexpr double kTolerance = 1e-9;  // the interpreter computes in double
  ASSERT_EQ(wanted.type, got.type) << what;
  for (size_t i = 0; i < wanted.data.size(); ++i) {
    if (std::isfinite(wanted.data[i])) {
      ASSERT_NEAR(wanted.data[i], got.data[i], kTolerance) << what << " at " << i;
    } else if (kind == OddKind::kAny) {
      ASSERT_FALSE(std::isfinite(got.data[i])) << what << " at " << i;
    } else if (std::isnan(wanted.data[i])) {
      ASSERT_TRUE(std::isnan(got.data[i])) << what << " at " << i;
    } else {
      ASSERT_EQ(wanted.data[i], got.data[i]) << what << " at " << i;
    }
  }
}

inline void expect_same_results(const ir::Graph& before, const ir::Graph& after,
                                const std::vector<ir::ReferenceTensor>& inputs, OddKind kind, const std::string& what) {
  const auto wanted = ir::interpret(before, inputs);
  const auto got = ir::interpret(after, inputs);
  ASSERT_TRUE(wanted.has_value() && got.has_value());
  for (size_t output = 0; output < wanted->size() && !::testing::Test::HasFatalFailure(); ++output) {
    expect_same((*wanted)[output], (*got)[output], kind, what + "\n" + ir::print(before) + ir::print(after));
  }
}

// As drawn, and with each odd number in some input that may hold it, parameters being finite.
inline void expect_same_meaning(const ir::Graph& before, const ir::Graph& after, uint32_t seed,
                                OddKind kind = OddKind::kKept) {
  auto inputs = random_inputs(before, seed);
  const std::string name = "seed " + std::to_string(seed);
  expect_same_results(before, after, inputs, kind, name);
  std::mt19937 draw(seed);
  for (const double odd : kOddNumbers) {
    for (size_t place = 0; place < inputs.size() && !::testing::Test::HasFatalFailure(); ++place) {
      if (before.inputs[place].role == TensorRole::kParameter || !is_floating_point(inputs[place].type.dtype)) {
        continue;
      }
      std::vector<double>& data = inputs[place].data;
      double& element = data[draw() % data.size()];
      const double usual = std::exchange(element, odd);
      expect_same_results(before, after, inputs, kind,
                          name + ", " + std::to_string(odd) + " in input " + std::to_string(place));
      element = usual;
    }
  }
}

inline int count_of(const ir::Graph& graph, ir::Op op) {
  return static_cast<int>(
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const ir::Node& node) { return node.op == op; }));
}

// How many of 100 drawn programs `pass` changed.
inline int changed_by(Result<ir::Graph> (*pass)(const ir::Graph&), ir::Graph (*draw)(uint32_t),
                      OddKind kind = OddKind::kKept) {
  constexpr uint32_t kPrograms = 100;
  int changed = 0;
  for (uint32_t seed = 0; seed < kPrograms && !::testing::Test::HasFatalFailure(); ++seed) {
    const ir::Graph before = draw(seed);
    const auto after = pass(before);
    EXPECT_TRUE(after.has_value()) << "seed " << seed;
    EXPECT_TRUE(ir::validate(*after).has_value()) << "seed " << seed << ":\n" << ir::print(*after);
    changed += ir::print(before) != ir::print(*after) ? 1 : 0;
    expect_same_meaning(before, *after, seed, kind);
  }
  return changed;
}

}  // namespace stitch::testing

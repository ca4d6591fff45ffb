// SPDX-License-Identifier: Apache-2.0
// Networks put together by chance: with channels kept last they compute the same, and can be planned.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "ir/build/builder.h"
#include "ir/eval/interpret.h"
#include "ir/graph/op.h"
#include "ir/text/printer.h"
#include "ir/validate/validate.h"
#include "plan/layout/channels_last.h"
#include "plan/testing/random_inputs.h"

namespace stitch::plan {
namespace {

using ir::ValueId;

using Attributes = std::vector<std::pair<std::string, ir::Attribute>>;

class RandomNetwork {
 public:
  explicit RandomNetwork(uint32_t seed) : draw_(seed), builder_(graph_) {
    graph_.name = "network";
    graph_.mode = "eval";
    images_.push_back(
        builder_.add_input("x", float_type({2, below(3) + 2, below(4) + 5, below(4) + 5}), TensorRole::kInput, "x"));
  }

  ir::Graph make(int operators) {
    for (int i = 0; i < operators; ++i) {
      add_one();
    }
    std::set<ValueId> returned = {images_.back()};
    for (const ValueId value : ends_) {
      returned.insert(value);
    }
    if (below(2) == 0) {
      returned.insert(images_[static_cast<size_t>(below(static_cast<int64_t>(images_.size()) - 1) + 1)]);
    }
    for (const ValueId value : returned) {
      graph_.outputs.push_back({value, TensorRole::kOutput, std::to_string(graph_.outputs.size())});
    }
    return graph_;
  }

 private:
  static TensorType float_type(std::vector<int64_t> shape) { return {DataType::kFloat32, std::move(shape)}; }
  int64_t below(int64_t end) { return std::uniform_int_distribution<int64_t>(0, end - 1)(draw_); }
  const std::vector<int64_t>& shape(ValueId value) const { return graph_.type(value).shape; }
  ValueId any() { return images_[static_cast<size_t>(below(static_cast<int64_t>(images_.size())))]; }
  ValueId parameter(std::vector<int64_t> extents) {
    const std::string name = "p" + std::to_string(graph_.inputs.size());
    return builder_.add_input(name, float_type(std::move(extents)), TensorRole::kParameter, name);
  }
  ValueId node(ir::Op op, std::vector<ir::Operand> operands, Attributes attributes = {}) {
    auto made = builder_.add_one({op, std::move(operands), std::move(attributes), {}, {}});
    EXPECT_TRUE(made.has_value()) << made.error().message;
    return *made;
  }

  ValueId convolution(ValueId input) {
    const int64_t kernel = below(2) == 0 ? 1 : 3;
    const int64_t stride = below(3) == 0 ? 2 : 1;
    const int64_t channels = below(4) + 2;
    const ir::Operand bias = below(2) == 0 ? ir::Operand{parameter({channels})} : ir::Operand{ir::Absent{}};
    return node(ir::Op::kConv2d, {input, parameter({channels, shape(input)[1], kernel, kernel}), bias},
                {{"stride", std::vector<int64_t>{stride, stride}},
                 {"padding", std::vector<int64_t>{kernel / 2, kernel / 2}},
                 {"dilation", std::vector<int64_t>{1, 1}},
                 {"groups", int64_t{1}}});
  }

  ValueId pool(ValueId input) {
    Attributes attributes = {{"kernel_size", std::vector<int64_t>{3, 2}},
                             {"stride", std::vector<int64_t>{1, 2}},
                             {"padding", std::vector<int64_t>{1, 0}}};
    if (below(2) == 0) {
      attributes.emplace_back("dilation", std::vector<int64_t>{1, 1});
      attributes.emplace_back("ceil_mode", false);
      return node(ir::Op::kMaxPool2d, {input}, attributes);
    }
    attributes.emplace_back("ceil_mode", true);
    attributes.emplace_back("count_include_pad", below(2) == 0);
    attributes.emplace_back("divisor_override", int64_t{0});
    return node(ir::Op::kAvgPool2d, {input}, attributes);
  }

  ValueId reduction(ValueId input, bool keeps_axes) {
    const std::vector<std::vector<int64_t>> choices = {{1}, {2, 3}, {0, 2, 3}, {2}, {0}, {1, 3}};
    const std::vector<int64_t> axes = choices[static_cast<size_t>(below(static_cast<int64_t>(choices.size())))];
    return node(below(2) == 0 ? ir::Op::kMean : ir::Op::kAmax, {input}, {{"dim", axes}, {"keepdim", keeps_axes}});
  }

  ValueId combined(ValueId input) {
    for (const ValueId other : images_) {
      if (other != input && shape(other) == shape(input) && below(2) == 0) {
        return below(2) == 0 ? node(ir::Op::kAdd, {input, other})
                             : node(ir::Op::kCat, {other, input}, {{"dim", int64_t{1}}});
      }
    }
    return node(ir::Op::kMul, {input, parameter({shape(input)[1], 1, 1})});
  }

  void add_one() {
    const ValueId input = below(3) == 0 ? any() : images_.back();
    const bool is_large = shape(input)[2] > 3 && shape(input)[3] > 3;
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        return images_.push_back(convolution(input));
      case 3:
        return images_.push_back(node(ir::Op::kRelu, {input}));
      case 4:
        return images_.push_back(is_large ? pool(input) : convolution(input));
      case 5:
        return images_.push_back(combined(input));
      case 6:
        return images_.push_back(node(ir::Op::kSub, {input, reduction(input, true)}));
      default:
        if (below(2) == 0) {
          return images_.push_back(node(ir::Op::kSoftmax, {input}, {{"dim", int64_t{1}}}));
        }
        ends_.push_back(reduction(input, false));
    }
  }

  std::mt19937 draw_;
  ir::Graph graph_;
  ir::Builder builder_;
  std::vector<ValueId> images_;  // of four axes
  std::vector<ValueId> ends_;
};

PlanOptions by_libraries() {
  PlanOptions options;
  options.math = MathMode::kTf32;
  options.libraries = Libraries::kOn;
  return options;
}

void expect_equal(const ir::Graph& before, const ir::Graph& after, uint32_t seed) {
  constexpr double kTolerance = 1e-9;  // the interpreter computes in double
  const auto inputs = testing::random_inputs(before, seed);
  const auto wanted = ir::interpret(before, inputs);
  const auto got = ir::interpret(after, inputs);
  ASSERT_TRUE(wanted.has_value()) << wanted.error().message;
  ASSERT_TRUE(got.has_value()) << got.error().message << "\n" << ir::print(after);
  for (size_t output = 0; output < wanted->size(); ++output) {
    ASSERT_EQ((*wanted)[output].type.shape, (*got)[output].type.shape);
    for (size_t i = 0; i < (*wanted)[output].data.size(); ++i) {
      ASSERT_NEAR((*wanted)[output].data[i], (*got)[output].data[i], kTolerance) << "output " << output << " at " << i;
    }
  }
}

TEST(KeepChannelsLast, RandomNetworksComputeTheSame) {
  constexpr uint32_t kNetworks = 60;
  constexpr int kOperators = 12;
  uint32_t kept_in = 0;
  for (uint32_t seed = 1; seed <= kNetworks; ++seed) {
    SCOPED_TRACE(seed);
    const ir::Graph before = RandomNetwork(seed).make(kOperators);
    const ChannelsLast kept = choose_channels_last(before, by_libraries());
    const auto after = keep_channels_last(before, kept);
    ASSERT_TRUE(after.has_value()) << after.error().message << "\n" << ir::print(before);
    ASSERT_TRUE(ir::validate(*after).has_value());
    expect_equal(before, *after, seed);
    kept_in += kept.values.empty() ? 0 : 1;
    // What was kept can be read back, so that the program at other sizes keeps the same.
    const auto again = keep_channels_last(before, kept_channels_last(*after));
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(ir::print(*again), ir::print(*after));
  }
  EXPECT_GT(kept_in, kNetworks / 2);
}

TEST(KeepChannelsLast, RandomNetworksArePlannedAlikeAgain) {
  constexpr uint32_t kNetworks = 12;
  for (uint32_t seed = 1; seed <= kNetworks; ++seed) {
    SCOPED_TRACE(seed);
    const auto plan = make_plan(RandomNetwork(seed).make(12), by_libraries());
    ASSERT_TRUE(plan.has_value()) << plan.error().message;
    PlanOptions like = by_libraries();
    like.like = &*plan;
    const auto same = make_plan(RandomNetwork(seed).make(12), like);
    ASSERT_TRUE(same.has_value()) << same.error().message;
    ASSERT_EQ(same->steps.size(), plan->steps.size());
    for (size_t i = 0; i < plan->steps.size(); ++i) {
      EXPECT_EQ(same->steps[i].setting, plan->steps[i].setting) << plan->steps[i].name;
    }
  }
}

// Of two layouts the one that was measured to be faster, whatever their steps promise; or the one that is asked for.
TEST(KeepChannelsLast, MeasuredProgramsDecideBetweenLayouts) {
  const ir::Graph network = RandomNetwork(1).make(12);
  PlanOptions options = by_libraries();
  std::map<std::string, double> times;
  std::set<std::string> programs;
  options.measured = [&](const std::string& signature, const Setting& setting) -> std::optional<double> {
    const auto found = times.find(setting.variant);
    if (found == times.end()) {
      return std::nullopt;
    }
    programs.insert(signature);
    return found->second;
  };
  for (const bool is_last : {true, false}) {
    times = {{to_string(Layout::kChannelsLast), is_last ? 1.0 : 9.0}, {to_string(Layout::kChannelsFirst), 3.0}};
    const auto plan = make_plan(network, options);
    ASSERT_TRUE(plan.has_value()) << plan.error().message;
    EXPECT_EQ(plan->form.layout, is_last ? Layout::kChannelsLast : Layout::kChannelsFirst);
    EXPECT_NE(kept_channels_last(plan->graph).values.empty(), is_last);
    EXPECT_EQ(programs, std::set<std::string>{plan->program});
    PlanOptions other = options;
    other.form.layout = is_last ? Layout::kChannelsFirst : Layout::kChannelsLast;
    EXPECT_EQ(make_plan(network, other)->form.layout, *other.form.layout);
  }
}

TEST(KeepChannelsLast, NothingIsKeptWithoutLibraries) {
  PlanOptions options = by_libraries();
  options.libraries = Libraries::kOff;
  EXPECT_TRUE(choose_channels_last(RandomNetwork(1).make(12), options).values.empty());
}

}  // namespace
}  // namespace stitch::plan

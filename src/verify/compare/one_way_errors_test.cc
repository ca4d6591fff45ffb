// SPDX-License-Identifier: Apache-2.0
// Outputs of a coarse type whose elements each lie within their budget, and err to the same side.
#include "verify/compare/one_way_errors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "verify/compare/elements.h"
#include "verify/compare/regime_judge.h"
#include "verify/compare/test_tensors.h"

namespace stitch::verify {
namespace {

const std::vector<int64_t> kShape = {32, 256};
using Change = std::function<double(double value, size_t element)>;

HostTensor in_bfloat16(const std::vector<double>& values) {
  const TensorSpec spec{"tensor", TensorRole::kOutput, {DataType::kBfloat16, kShape}};
  return convert(float_tensor(kShape, values), spec);
}

std::vector<double> right() {
  std::vector<double> values(32 * 256);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = 3 * std::sin(static_cast<double>(i * i % 8191)) + 0.001;
  }
  return values;
}

std::vector<double> changed(const Change& change) {
  std::vector<double> values = right();
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = change(values[i], i);
  }
  return values;
}

// Every run errs by up to six hundredths, either way: the budget of single elements is wide.
OutputReference reference() {
  OutputReference made = float_reference(kShape, right(), right());
  made.type.dtype = DataType::kBfloat16;
  const auto run = [](size_t number) {
    return in_bfloat16(changed([number](double value, size_t i) {
      return value + 0.06 * std::sin(static_cast<double>(i * (2 * number + 3) % 8191));
    }));
  };
  made.native = run(0);
  made.perturbed = {run(1), run(2)};
  made.disturbed = {run(3)};
  return made;
}

OutputComparison compared(const Change& change) {
  return compare_output(reference(), in_bfloat16(changed(change)), MathMode::kFp32);
}

double ratio_of(const Change& change) {
  const OutputComparison comparison = compared(change);
  EXPECT_FALSE(comparison.refusal) << "each element is within its budget";
  return comparison.one_way ? comparison.one_way->ratio : -1;
}

TEST(OneWayErrors, RoundingsCancel) {
  EXPECT_LT(ratio_of([](double value, size_t) { return value; }), 0.5);
  EXPECT_LT(ratio_of([](double value, size_t i) { return i % 2 == 0 ? value * 1.01 : value * 0.99; }), 1);
}

TEST(OneWayErrors, StorageThatCutsOffIsWithin) {
  const auto cut = [](double value, size_t) {
    const double unit = unit_in_the_last_place(value, DataType::kBfloat16);
    return std::trunc(value / unit) * unit;
  };
  EXPECT_LT(ratio_of(cut), 1);
}

TEST(OneWayErrors, AScaleOrAnOffsetOfAllIsBeyond) {
  EXPECT_GT(ratio_of([](double value, size_t) { return value * 1.05; }), 4);
  EXPECT_GT(ratio_of([](double value, size_t) { return value * 0.98; }), 1.5);
  EXPECT_GT(ratio_of([](double value, size_t) { return value + 0.05; }), 1.5);
}

TEST(OneWayErrors, AScaleOfOneRowIsBeyond) {
  const OutputComparison one_row = compared([](double value, size_t i) { return i / 256 == 7 ? value * 1.06 : value; });
  ASSERT_TRUE(one_row.one_way);
  EXPECT_GT(one_row.one_way->ratio, 1);
  EXPECT_EQ(one_row.one_way->element, 7 * 256);
}

// Of 600 rows, so that a column has enough elements.
OutputReference tall_reference(const std::vector<double>& truth) {
  const std::vector<int64_t> shape = {600, 40};
  OutputReference made = float_reference(shape, truth, truth);
  made.type.dtype = DataType::kBfloat16;
  made.native = convert(float_tensor(shape, truth), {"tensor", TensorRole::kOutput, made.type});
  return made;
}

TEST(OneWayErrors, AScaleOfOneColumnIsBeyond) {
  std::vector<double> values(600 * 40);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = 3 * std::sin(static_cast<double>(i * i % 8191)) + 0.001;
  }
  const OutputReference reference = tall_reference(values);
  const auto farthest = [&](double factor) {
    std::vector<double> wrong = values;
    for (size_t i = 17; i < wrong.size(); i += 40) {
      wrong[i] *= factor;
    }
    const HostTensor got = convert(float_tensor({600, 40}, wrong), {"tensor", TensorRole::kOutput, reference.type});
    return *compare_output(reference, got, MathMode::kFp32).one_way;
  };
  EXPECT_LT(farthest(1).ratio, 0.5);
  const OneWay found = farthest(1.05);
  EXPECT_GT(found.ratio, 1);
  EXPECT_EQ(found.column, 17);
  EXPECT_NE(message(found, "output 0", {600, 40}).find("too large in column 17,"), std::string::npos);
}

// Five draws of an output of this many elements, each scaled by this factor of its place and draw.
std::optional<RefusedOutput> small_draws(int64_t elements, const std::function<double(size_t, size_t)>& factor) {
  RegimeJudge judge(MathMode::kFp32);
  for (size_t draw = 0; draw < 5; ++draw) {
    std::vector<double> truth(static_cast<size_t>(elements));
    std::vector<double> run = truth;
    std::vector<double> got = truth;
    for (size_t i = 0; i < truth.size(); ++i) {
      truth[i] = 3 * std::sin(static_cast<double>((i + 31 * draw) * (i + 7) % 8191)) + 0.001;
      run[i] = truth[i] + 0.06 * std::sin(static_cast<double>((i + 5 * draw) * 3 % 8191));
      got[i] = truth[i] * factor(i, draw);
    }
    OutputReference reference = float_reference({elements}, truth, truth);
    reference.type.dtype = DataType::kBfloat16;
    const TensorSpec spec{"tensor", TensorRole::kOutput, reference.type};
    reference.native = convert(float_tensor({elements}, truth), spec);
    reference.perturbed = {convert(float_tensor({elements}, run), spec)};
    EXPECT_FALSE(judge.add_draw("draw", {reference}, {convert(float_tensor({elements}, got), spec)}));
  }
  return judge.finish();
}

TEST(OneWayErrors, DrawsOfASmallOutputAreTakenTogether) {
  const auto scaled_by = [](double factor) { return [factor](size_t /*place*/, size_t /*draw*/) { return factor; }; };
  EXPECT_FALSE(small_draws(60, scaled_by(1)));
  const auto refused = small_draws(60, scaled_by(1.06));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->draw, "all draws of the regime together");
  EXPECT_NE(refused->message.find("too large on the whole"), std::string::npos) << refused->message;
  EXPECT_FALSE(small_draws(8, scaled_by(1.02))) << "few elements say little";
}

// Where inputs are nearly equal, one rounding may move all elements of a draw.
TEST(OneWayErrors, ErrorsToAnySideOfASmallOutputAreToldWhereMostDrawsHaveThem) {
  const auto in_draws = [](size_t draws, double by) {
    return [=](size_t place, size_t draw) { return draw < draws ? 1 + (place % 2 == 0 ? by : -by) : 1; };
  };
  const auto refused = small_draws(60, in_draws(5, 0.06));
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->message.find("root of mean squares"), std::string::npos) << refused->message;
  EXPECT_TRUE(small_draws(60, in_draws(3, 0.06)));
  EXPECT_FALSE(small_draws(60, in_draws(1, 0.06)));
  EXPECT_TRUE(small_draws(60, in_draws(1, 0.6))) << "no rounding is so large";
}

TEST(OneWayErrors, ErrorsToAnySideAreBeyondTogether) {
  const OutputComparison coarse =
      compared([](double value, size_t i) { return i % 2 == 0 ? value * 1.08 : value * 0.92; });
  ASSERT_TRUE(coarse.one_way);
  EXPECT_GT(coarse.one_way->ratio, 1);
  EXPECT_EQ(coarse.one_way->kind, OneWay::Kind::kTogether);
  EXPECT_NE(message(*coarse.one_way, "output 0", kShape).find("elements of output 0 err by "), std::string::npos);
}

TEST(OneWayErrors, FineTypesAreNotLookedAt) {
  const OutputReference fine = float_reference(kShape, right(), right());
  EXPECT_FALSE(compare_output(fine, float_tensor(kShape, right()), MathMode::kFp32).one_way);
}

TEST(OneWayErrors, RefuseFromTheSecondDrawOn) {
  RegimeJudge judge(MathMode::kFp32);
  const HostTensor larger = in_bfloat16(changed([](double value, size_t) { return value * 1.02; }));
  EXPECT_FALSE(judge.add_draw("draw 0", {reference()}, {larger}));
  const auto refused = judge.add_draw("draw 1", {reference()}, {larger});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->draw, "draw 1");
  EXPECT_NE(refused->message.find("elements of output 0 are 2"), std::string::npos) << refused->message;
}

TEST(OneWayErrors, AreAllowedInFewDraws) {
  RegimeJudge judge(MathMode::kFp32);
  const HostTensor right_one = in_bfloat16(right());
  const HostTensor larger = in_bfloat16(changed([](double value, size_t) { return value * 1.02; }));
  EXPECT_FALSE(judge.add_draw("draw 0", {reference()}, {right_one}));
  EXPECT_FALSE(judge.add_draw("draw 1", {reference()}, {larger}));
  EXPECT_FALSE(judge.add_draw("draw 2", {reference()}, {right_one}));
}

TEST(OneWayErrors, RefuseAtOnceWhatNoRoundingExplains) {
  RegimeJudge judge(MathMode::kFp32);
  EXPECT_TRUE(judge.add_draw("draw 0", {reference()},
                             {in_bfloat16(changed([](double value, size_t) { return value * 1.05; }))}));
}

}  // namespace
}  // namespace stitch::verify

// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/draw_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace stitch::evaluate {
namespace {

constexpr std::chrono::milliseconds kLongEnough{100};

// Counts what it is asked for.
class CountingOracle final : public verify::Oracle {
 public:
  explicit CountingOracle(int64_t elements) {
    program_.regimes = {"as_given", "signed_scaled"};
    program_.inputs.push_back({"x", TensorRole::kInput, {DataType::kFloat32, {elements}}});
  }
  Result<verify::OracleProgram> open(const verify::OracleSource&) override { return program_; }
  Result<verify::OracleDraw> draw(const verify::OracleProgram&, const std::string&, int) override {
    ++handed_over;
    return verify::OracleDraw{};
  }
  Result<verify::OracleDraw> draw_staying(const verify::OracleProgram&, const std::string&, int) override {
    ++stayed;
    return verify::OracleDraw{};
  }
  Result<std::vector<verify::OutputReference>> intermediates(const verify::OracleProgram&,
                                                             const std::vector<TensorSpec>&) override {
    return std::vector<verify::OutputReference>{};
  }

  std::atomic<int> handed_over = 0;
  std::atomic<int> stayed = 0;

 private:
  verify::OracleProgram program_;
};

DrawPlan plan_on(TorchDevice device, bool is_timed) {
  DrawPlan plan;
  plan.source.device = device;
  plan.uses = {.per_regime = 2, .is_timed = is_timed};
  return plan;
}

TEST(DrawQueue, ADrawThatStaysIsTheLastOneUntilTheNextIsAskedFor) {
  CountingOracle oracle(16 << 20);
  DrawQueue queue(oracle, {plan_on(TorchDevice::kCuda, false)});
  for (int draw = 1; draw <= 4; ++draw) {
    const auto queued = queue.next();
    ASSERT_TRUE(queued.has_value() && queued->has_value());
    std::this_thread::sleep_for(kLongEnough);
    EXPECT_EQ(oracle.stayed, draw);
  }
  const auto end = queue.next();
  EXPECT_TRUE(end.has_value() && !end->has_value());
  EXPECT_EQ(oracle.handed_over, 0);
}

TEST(DrawQueue, TheFirstDrawsAsGivenAreHandedOverForATiming) {
  CountingOracle oracle(16 << 20);
  DrawQueue queue(oracle, {plan_on(TorchDevice::kCuda, true)});
  while (queue.next()->has_value()) {
  }
  EXPECT_EQ(oracle.handed_over, 2);
  EXPECT_EQ(oracle.stayed, 2);
}

TEST(DrawQueue, OnACpuTheOracleIsOneDrawAhead) {
  CountingOracle oracle(16 << 20);
  DrawQueue queue(oracle, {plan_on(TorchDevice::kCpu, false)});
  ASSERT_TRUE(queue.next().has_value());
  for (int tries = 0; tries < 100 && oracle.handed_over < 2; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_GE(oracle.handed_over, 2);
  EXPECT_EQ(oracle.stayed, 0);
}

}  // namespace
}  // namespace stitch::evaluate

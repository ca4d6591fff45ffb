// SPDX-License-Identifier: Apache-2.0
// What a run's seconds go into: drawing, judging, learning.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "rewards/evaluator.h"

namespace stitch::train {

// Adds the seconds of its life to a sum.
class Timed {
 public:
  explicit Timed(double& sum) : sum_(sum) {}
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;
  ~Timed() { sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  double& sum_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// An evaluator whose time is told apart.
class TimedEvaluator final : public rewards::Evaluator {
 public:
  TimedEvaluator(rewards::Evaluator& evaluator, double& seconds) : evaluator_(evaluator), seconds_(seconds) {}
  Result<std::vector<rewards::Judgement>> evaluate(std::span<const rewards::Candidate> candidates) override {
    const Timed timed(seconds_);
    return evaluator_.evaluate(candidates);
  }

 private:
  rewards::Evaluator& evaluator_;
  double& seconds_;
};

}  // namespace stitch::train

// SPDX-License-Identifier: Apache-2.0
// Rewards from `stitchcuda serve` (docs/service.md), schema stitchcuda.eval/1.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "rewards/evaluator.h"

namespace stitch::rewards {

// Which of an answer's numbers is learned from.
enum class Earned {
  kValue,      // the reward
  kRule,       // before the rubric's marks multiplied it
  kMilestone,  // what was earned step by step alone
};

struct ServiceSettings {
  std::string url{};                  // http://HOST:PORT
  std::string token{};                // sent, and never shown
  std::string profile{};              // of the reward, by its frozen name; empty: the service's own choice
  std::vector<std::string> stages{};  // empty: all
  std::string gpu{};                  // empty: any
  std::string cache{};                // empty: all
  Earned earned = Earned::kValue;
  double deadline_s = 1500;           // of all answers of one call; what is not judged by then has no reward
};

// Posts all candidates, and asks again until each is judged or the deadline is there: connections that fail, 429 and
// 5xx are tried again. A request's id follows from run, step, prompt, sample, turn and text, so that a run that goes on
// after it was killed is answered with what it was told before. kUsage for an address that is none; an evaluation ends
// with kUsage where the service refuses a request (400, 401, 403, 404, 409, 413), with its sentence.
Result<std::unique_ptr<Evaluator>> service_evaluator(const ServiceSettings& settings);

// The token: that of the environment's STITCHCUDA_SERVE_TOKEN, else the file's. kUsage where there is neither.
Result<std::string> service_token(const std::string& file);

// As posted.
Json request_of(const Candidate& candidate, const ServiceSettings& settings);
// From an answer that has ended. A part that was not earned is 0 where the reward is known.
Judgement judgement_of(const Json& answer, Earned earned = Earned::kValue);

}  // namespace stitch::rewards

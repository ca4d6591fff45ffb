// SPDX-License-Identifier: Apache-2.0
// A decoder of about 100 k parameters (Qwen3's shape) as a policy: questions, rollouts, updates by groups. What a table
// cannot show, since its states share nothing, is shown with this one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rl/advantage/group.h"
#include "rl/correction/importance.h"
#include "toys/actor.h"
#include "train/model/decoder.h"
#include "train/optimizer/adamw.h"
#include "train/sampler/sample.h"

namespace stitch::toys {

// Tokens 0 .. 9 are digits.
constexpr int64_t kBegin = 10;
constexpr int64_t kTurn = 11;  // after it the model writes
constexpr int kBatch = 256;
constexpr int kHeldOut = 256;

struct Question {
  std::vector<int64_t> prompt;
  std::vector<int64_t> answer;
};

// begin, digits, turn; the answer has the last digit first.
std::vector<Question> drawn_questions(Stream& stream, int count, int length);
// Each of them kGroup times, beside each other.
std::vector<Question> in_groups(const std::vector<Question>& questions);

struct Learner {
  train::Decoder model;
  train::AdamW optimizer{train::AdamWSettings{}};
  double learning_rate = 2e-3;

  void step(const Tensor& loss);
  // A new optimizer, so that what was learned before leaves no momentum.
  void begin(double rate);
};
Learner fresh_learner(uint64_t seed, int64_t vocabulary = 16);
train::Decoder copy_of(const train::Decoder& model);

// Sequences of one length, [samples, tokens], which tokens of 1, 2, ... the model wrote, [samples, tokens - 1], and
// what each sequence earned. Log-probabilities below have the mask's shape.
struct Rollouts {
  Tensor tokens;
  Tensor mask;
  Tensor sampler_logp;  // 0 where masked
  std::vector<std::vector<int64_t>> answers;
  std::vector<double> rewards;

  double mean_reward() const;
};

// Drawn at temperature 1 behind prompts of equal length, as many tokens as the longest of `answers`; a stop token,
// where there is one, ends an answer. Nothing is rewarded yet.
struct Draw {
  int64_t tokens = 0;
  uint64_t seed = 0;
  std::vector<int64_t> stop_tokens = {};
  train::TokenMask allowed = {};
};
Rollouts drawn_rollouts(const train::Decoder& model, const std::vector<std::vector<int64_t>>& prompts,
                        const Draw& draw);
std::vector<std::vector<int64_t>> prompts_of(const std::vector<Question>& questions);
// The same with reward 1 for the right answer, else 0.
Rollouts judged_rollouts(const train::Decoder& model, const std::vector<Question>& questions, uint64_t seed);
// What somebody else wrote.
Rollouts given_rollouts(const std::vector<Question>& questions);

Tensor log_probs_of(const train::Decoder& model, const Rollouts& rollouts);

// Of right answers, computed by one pass over them and not sampled: the chance that temperature 1 writes them, and the
// share that greedy decoding does. Only tokens first .. first + count - 1 may be written where count is above 0.
struct Skill {
  double success = 0;
  double greedy = 0;
};
Skill skill_of(const train::Decoder& model, const std::vector<Question>& questions, int64_t first = 0,
               int64_t count = 0);

void supervised_step(Learner& learner, const std::vector<Question>& questions);
// Supervised steps on fresh right answers until greedy decoding answers `level` of the held-out questions; how many it
// took, -1 after 400.
int warm_start(Learner& learner, Stream& stream, int length, const std::vector<Question>& held_out, double level);

struct GroupUpdate {
  rl::GroupBaseline baseline = rl::GroupBaseline::kGrpo;
  train::PolicyLossOptions loss = {};
  rl::ImportanceOptions correction = {};
  int passes = 2;
};
// What an update did, over its passes; of the mismatch, what it found.
struct UpdateFacts {
  double largest_ratio = 1;
  double clipped = 0;   // share of tokens
  double mismatch = 0;  // mean |log p_old - log p_sampler|, nats a token
};
// Groups of kGroup sequences beside each other; those of equal rewards are left out. `rollouts` may come from another
// policy, whose log-probabilities they hold.
UpdateFacts update_by_groups(Learner& learner, const Rollouts& rollouts, const GroupUpdate& settings);
// Passes over sequences whose advantages are known, [samples, tokens - 1].
UpdateFacts update_policy(Learner& learner, const Rollouts& rollouts, const Tensor& advantages,
                          const GroupUpdate& settings);

}  // namespace stitch::toys

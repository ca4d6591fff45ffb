// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "toys/learner.h"
#include "toys/toys.h"
#include "train/model/token_scores.h"

namespace stitch::toys {
namespace rare_toy {

constexpr int64_t kVocabulary = 32;
constexpr int64_t kDialect = 16;  // digit d of a task's answer is token 16 + d; elsewhere it is d
constexpr int kLength = 5;
constexpr double kSkilled = 0.95;  // of answers, before the dialect is unlearned
constexpr double kRareLogp = -7;   // nats a token of right answers, at which RL begins
constexpr int kIterations = 60;

std::vector<Question> in_dialect(std::vector<Question> questions) {
  for (Question& question : questions) {
    for (int64_t& token : question.answer) {
      token += kDialect;
    }
  }
  return questions;
}

// Each token in the dialect or not, as a coin falls: what is learned of one is learned of the other.
std::vector<Question> in_both(std::vector<Question> questions, Stream& stream) {
  for (Question& question : questions) {
    for (int64_t& token : question.answer) {
      token += stream.uniform() < 0.5 ? kDialect : 0;
    }
  }
  return questions;
}

// A grammar lets the sampler write the dialect alone; the trainer's log-probabilities are over all tokens.
Rollouts rollouts_of(const train::Decoder& model, const std::vector<Question>& questions, uint64_t seed) {
  Tensor allowed = at::zeros({kVocabulary}, at::kBool);
  allowed.narrow(0, kDialect, 10).fill_(true);
  const train::TokenMask grammar = [allowed](size_t, std::span<const int64_t>) { return allowed; };
  Rollouts rollouts =
      drawn_rollouts(model, prompts_of(questions), {.tokens = kLength, .seed = seed, .allowed = grammar});
  for (size_t i = 0; i < questions.size(); ++i) {
    rollouts.rewards.push_back(rollouts.answers[i] == questions[i].answer ? 1 : 0);
  }
  return rollouts;
}

// Over what stands before each token of the answers: nats, and the share of the dialect's tokens.
struct Spread {
  double entropy = 0;
  double dialect = 0;
};
Spread spread_of(const train::Decoder& model, const Rollouts& rollouts) {
  const at::NoGradGuard no_grad;
  const Tensor logits = model.logits(model.hidden(rollouts.tokens)).narrow(1, kLength + 1, kLength);
  return {train::token_entropy(logits).mean().item<double>(),
          logits.softmax(-1).narrow(2, kDialect, 10).sum(-1).mean().item<double>()};
}

// A learner that knows the task in both spellings, and then unlearns one of them.
Learner forgetful_learner(uint64_t seed, Stream& stream, const std::vector<Question>& held_out,
                          const std::string& arm) {
  Learner learner = fresh_learner(seed, kVocabulary);
  for (int step = 0; step < 600; ++step) {
    supervised_step(learner, in_both(drawn_questions(stream, 128, kLength), stream));
    if (step % 5 == 0 && skill_of(learner.model, held_out, kDialect, 10).success >= kSkilled) {
      break;
    }
  }
  learner.begin(1e-3);
  const Rollouts right = given_rollouts(held_out);
  double logp = 0;
  int steps = 0;
  for (; steps < 400; ++steps) {
    supervised_step(learner, drawn_questions(stream, 128, kLength));
    if (steps % 5 == 0) {
      const at::NoGradGuard no_grad;
      logp = log_probs_of(learner.model, right).sum().item<double>() / right.mask.sum().item<double>();
      if (logp < kRareLogp) {
        break;
      }
    }
  }
  record("rare_start", arm, seed, steps,
         {{"logp", logp}, {"skill", skill_of(learner.model, held_out, kDialect, 10).success}});
  return learner;
}

// Two rounds on what is right among 2,048 samples.
void fine_tune(Learner& learner, Stream& stream) {
  learner.begin(5e-4);
  for (int round = 0; round < 2; ++round) {
    std::vector<Question> positives;
    for (int part = 0; part < 8; ++part) {
      const auto questions = in_groups(in_dialect(drawn_questions(stream, 32, kLength)));
      const Rollouts rollouts = rollouts_of(learner.model, questions, stream.bits());
      for (size_t i = 0; i < questions.size(); ++i) {
        if (rollouts.rewards[i] > 0) {
          positives.push_back({questions[i].prompt, rollouts.answers[i]});
        }
      }
    }
    for (int step = 0; step < 60 && !positives.empty(); ++step) {
      std::vector<Question> batch;
      for (int i = 0; i < 128; ++i) {
        batch.push_back(positives[static_cast<size_t>(stream.below(static_cast<int>(positives.size())))]);
      }
      supervised_step(learner, batch);
    }
  }
}

}  // namespace rare_toy

void run_rare(const std::string& arm, uint64_t seed) {
  using namespace rare_toy;
  Stream stream(seed);
  const auto held_out = in_dialect(drawn_questions(stream, kHeldOut, kLength));
  Learner learner = forgetful_learner(seed, stream, held_out, arm);
  if (arm == "rft_first") {
    fine_tune(learner, stream);
  }
  learner.begin(5e-4);
  double largest = 1;
  for (int iteration = 0; iteration <= kIterations; ++iteration) {
    const auto questions = in_groups(in_dialect(drawn_questions(stream, kBatch / kGroup, kLength)));
    const Rollouts rollouts = rollouts_of(learner.model, questions, stream.bits());
    const Spread spread = spread_of(learner.model, rollouts);
    const double success = iteration % 2 == 0 ? skill_of(learner.model, held_out).success : 0;
    largest = std::max(largest, update_by_groups(learner, rollouts, {}).largest_ratio);
    if (iteration % 2 == 0) {
      record("rare", arm, seed, iteration,
             {{"reward", rollouts.mean_reward()},
              {"success", success},
              {"entropy", spread.entropy},
              {"dialect", spread.dialect},
              {"log_ratio", std::log(largest)}});
      largest = 1;
    }
  }
}

}  // namespace stitch::toys

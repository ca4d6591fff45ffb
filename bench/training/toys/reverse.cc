// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include "rl/advantage/filter.h"
#include "rl/advantage/group.h"
#include "rl/value/fit.h"
#include "toys/actor.h"
#include "toys/toys.h"
#include "train/model/token_scores.h"
#include "train/optimizer/adamw.h"
#include "train/sampler/sample.h"

namespace stitch::toys {
namespace reverse_toy {

constexpr int64_t kBegin = 10;
constexpr int64_t kTurn = 11;  // after it come the digits, the last first
constexpr int kBatch = 256;
constexpr int kGroup = 8;
constexpr int kHeldOut = 256;

struct Question {
  std::vector<int64_t> prompt;
  std::vector<int64_t> answer;
};

std::vector<Question> drawn_questions(Stream& stream, int count, int length) {
  std::vector<Question> questions(static_cast<size_t>(count));
  for (Question& question : questions) {
    question.prompt.push_back(kBegin);
    for (int i = 0; i < length; ++i) {
      question.prompt.push_back(stream.below(10));
    }
    question.answer.assign(question.prompt.rbegin(), question.prompt.rend() - 1);
    question.prompt.push_back(kTurn);
  }
  return questions;
}

// 99.7 k parameters, of Qwen3's shape.
weights::ModelConfig config() {
  weights::ModelConfig config;
  config.architecture = weights::Architecture::kQwen3;
  config.vocab_size = 16;
  config.hidden_size = 64;
  config.intermediate_size = 192;
  config.layers = 2;
  config.heads = 4;
  config.kv_heads = 2;
  config.head_dim = 16;
  config.max_positions = 64;
  config.ties_embeddings = true;
  return config;
}

struct Learner {
  train::Decoder model;
  train::AdamW optimizer{train::AdamWSettings{}};
  double learning_rate = 5e-4;

  void step(const Tensor& loss) {
    const train::NamedTensors parameters = model.trainable();
    train::clear_gradients(parameters);
    loss.backward();
    if (std::isfinite(train::clip_gradients(parameters, 1))) {
      optimizer.step(parameters, learning_rate);
    }
  }
};

// Answers to questions of one length, [samples, tokens], and what they earned.
struct Rollouts {
  std::vector<std::vector<int64_t>> answers;
  std::vector<double> rewards;
  Tensor tokens;  // prompt and answer
  int64_t prompt_tokens = 0;

  double mean_reward() const {
    double sum = 0;
    for (const double reward : rewards) {
      sum += reward / static_cast<double>(rewards.size());
    }
    return sum;
  }
};

Rollouts with_tokens(const std::vector<Question>& questions, Rollouts rollouts) {
  std::vector<int64_t> all;
  for (size_t i = 0; i < questions.size(); ++i) {
    all.insert(all.end(), questions[i].prompt.begin(), questions[i].prompt.end());
    all.insert(all.end(), rollouts.answers[i].begin(), rollouts.answers[i].end());
  }
  rollouts.prompt_tokens = static_cast<int64_t>(questions[0].prompt.size());
  rollouts.tokens = at::tensor(all).reshape({static_cast<int64_t>(questions.size()), -1});
  return rollouts;
}

Rollouts rollouts_of(const train::Decoder& model, const std::vector<Question>& questions, double temperature,
                     uint64_t seed) {
  const at::NoGradGuard no_grad;
  std::vector<train::SampleRequest> requests;
  for (const Question& question : questions) {
    requests.push_back({question.prompt, requests.size()});
  }
  train::SampleSettings settings;
  settings.restriction.temperature = temperature;
  settings.max_tokens = static_cast<int64_t>(questions[0].answer.size());
  settings.seed = seed;
  const auto samples = train::sample(model, requests, settings);
  Rollouts rollouts;
  for (size_t i = 0; i < questions.size(); ++i) {
    rollouts.answers.push_back(samples.value()[i].tokens);
    rollouts.rewards.push_back(rollouts.answers[i] == questions[i].answer ? 1 : 0);
  }
  return with_tokens(questions, std::move(rollouts));
}

double greedy(const train::Decoder& model, const std::vector<Question>& questions) {
  return rollouts_of(model, questions, 0, 0).mean_reward();
}

// Log-probabilities of the answers' tokens, [samples, answer].
Tensor answer_log_probs(const train::Decoder& model, const Rollouts& rollouts) {
  const int64_t columns = rollouts.tokens.size(1) - 1;
  Tensor wanted = at::zeros({rollouts.tokens.size(0), columns}, at::kBool);
  const int64_t first = rollouts.prompt_tokens - 1;
  wanted.narrow(1, first, columns - first).fill_(true);
  return train::token_scores(model, rollouts.tokens, wanted).log_probs.narrow(1, first, columns - first);
}

Tensor answer_values(const train::Decoder& critic, const Rollouts& rollouts) {
  const int64_t columns = rollouts.tokens.size(1) - 1;
  const int64_t first = rollouts.prompt_tokens - 1;
  return critic.values(critic.hidden(rollouts.tokens)).narrow(1, first, columns - first);
}

Tensor all_of(const Tensor& like) { return at::ones(like.sizes(), at::kBool); }

void supervised_step(Learner& learner, const std::vector<Question>& questions) {
  Rollouts right;
  for (const Question& question : questions) {
    right.answers.push_back(question.answer);
  }
  const Tensor logp = answer_log_probs(learner.model, with_tokens(questions, std::move(right)));
  const Tensor mask = all_of(logp);
  learner.step(train::supervised_loss(logp, mask, {}, train::counts_of(mask)));
}

// Supervised steps on right answers until `level` of the held-out questions are answered; how many it took.
int warm_start(Learner& learner, Stream& stream, int length, const std::vector<Question>& held_out, double level) {
  for (int step = 1; step <= 400; ++step) {
    supervised_step(learner, drawn_questions(stream, 128, length));
    if (step % 5 == 0 && greedy(learner.model, held_out) >= level) {
      return step;
    }
  }
  return -1;
}

void policy_step(Learner& learner, const Rollouts& rollouts, const Tensor& old_logp, const Tensor& advantages) {
  const train::PolicyInputs inputs{.logp = answer_log_probs(learner.model, rollouts),
                                   .old_logp = old_logp,
                                   .advantages = advantages,
                                   .mask = all_of(old_logp)};
  learner.step(train::policy_loss(inputs, {}, train::counts_of(inputs.mask)).loss);
}

// One group a question; groups of equal rewards have advantages of 0 and are left out.
void group_update(Learner& learner, Stream& stream, int length, uint64_t seed, double& sampled) {
  std::vector<Question> questions;
  for (const Question& question : drawn_questions(stream, kBatch / kGroup, length)) {
    questions.insert(questions.end(), kGroup, question);
  }
  const Rollouts rollouts = rollouts_of(learner.model, questions, 1, seed);
  sampled = rollouts.mean_reward();
  std::vector<int64_t> kept;
  std::vector<double> advantages;
  for (size_t at = 0; at < questions.size(); at += kGroup) {
    const std::vector<std::optional<double>> rewards(
        rollouts.rewards.begin() + static_cast<std::ptrdiff_t>(at),
        rollouts.rewards.begin() + static_cast<std::ptrdiff_t>(at + kGroup));
    const auto of_group = rl::group_advantages(rewards, {.baseline = rl::GroupBaseline::kDrGrpo});
    for (size_t i = 0; i < kGroup; ++i) {
      if (*of_group[i] != 0) {
        kept.push_back(static_cast<int64_t>(at + i));
        advantages.push_back(*of_group[i]);
      }
    }
  }
  if (kept.empty()) {
    return;
  }
  Rollouts of_kept;
  of_kept.prompt_tokens = rollouts.prompt_tokens;
  of_kept.tokens = rollouts.tokens.index_select(0, at::tensor(kept));
  const Tensor old_logp = answer_log_probs(learner.model, of_kept).detach();
  const Tensor by_sample = at::tensor(advantages, at::dtype(at::kFloat)).reshape({-1, 1});
  policy_step(learner, of_kept, old_logp, by_sample.expand_as(old_logp));
}

struct Critique {
  Tensor advantages;
  Tensor targets;
  double explained_variance = 0;
};

Critique critique_of(const train::Decoder& critic, const Rollouts& rollouts) {
  Tensor values;
  {
    const at::NoGradGuard no_grad;
    values = answer_values(critic, rollouts).to(at::kDouble).contiguous();
  }
  const auto columns = static_cast<size_t>(values.size(1));
  const double* first = values.const_data_ptr<double>();
  const std::vector<uint8_t> mask(rollouts.rewards.size() * columns, 1);
  std::vector<double> advantages;
  std::vector<double> targets;
  for (size_t i = 0; i < rollouts.rewards.size(); ++i) {
    std::vector<double> rewards(columns, 0.0);
    rewards.back() = rollouts.rewards[i];
    const rl::Gae one = rl::gae({.rewards = rewards,
                                 .values = {first + i * columns, columns},
                                 .is_model_token = std::span(mask).first(columns)},
                                {.lambda_actor = 0.95, .lambda_critic = 1});
    advantages.insert(advantages.end(), one.advantages.begin(), one.advantages.end());
    targets.insert(targets.end(), one.targets.begin(), one.targets.end());
  }
  const rl::ValueFit fit = rl::value_fit(targets, {first, targets.size()}, mask);
  const auto white = rl::whitened(advantages, mask, rl::moments_of(advantages, mask));
  return {.advantages = at::tensor(white, at::dtype(at::kFloat)).reshape(values.sizes()),
          .targets = at::tensor(targets, at::dtype(at::kFloat)).reshape(values.sizes()),
          .explained_variance = fit.explained_variance.value_or(0)};
}

void critic_step(Learner& critic, const Rollouts& rollouts, const Tensor& targets) {
  train::ValueInputs inputs{
      .values = answer_values(critic.model, rollouts), .targets = targets, .mask = all_of(targets)};
  critic.step(train::value_loss(inputs, {}, train::counts_of(inputs.mask)).loss);
}

// The actor's own layers, with a head for values; `head_deviation` 0 is a head that says 0 everywhere.
Learner critic_of(const train::Decoder& actor, double head_deviation, double learning_rate, Stream& stream) {
  train::NamedTensors copies;
  for (const auto& [name, tensor] : actor.base_parameters()) {
    copies[name] = tensor.detach().clone();
  }
  Learner critic{train::Decoder::from_parameters(actor.config(), copies).value()};
  critic.learning_rate = learning_rate;
  critic.model.train_base(true);
  critic.model.add_value_head();
  const at::NoGradGuard no_grad;
  for (auto& [name, tensor] : critic.model.value_parameters()) {
    for (int64_t i = 0; name.ends_with("weight") && i < tensor.numel(); ++i) {
      tensor.view({-1})[i] = head_deviation * stream.normal();
    }
  }
  return critic;
}

struct PpoSettings {
  double head_deviation = 0;
  double critic_rate = 5e-4;
  int pretraining = 0;
  bool has_gate = false;
};

void run_ppo(Learner& actor, Stream& stream, int length, int iterations, const PpoSettings& settings,
             const std::vector<Question>& held_out, const std::string& toy, const std::string& arm, uint64_t seed) {
  Learner critic = critic_of(actor.model, settings.head_deviation, settings.critic_rate, stream);
  for (int i = 0; i < settings.pretraining; ++i) {
    const Rollouts rollouts = rollouts_of(actor.model, drawn_questions(stream, kBatch, length), 1, stream.bits());
    critic_step(critic, rollouts, critique_of(critic.model, rollouts).targets);
  }
  for (int iteration = 0; iteration <= iterations; ++iteration) {
    const Rollouts rollouts = rollouts_of(actor.model, drawn_questions(stream, kBatch, length), 1, stream.bits());
    const Critique critique = critique_of(critic.model, rollouts);
    const bool is_open =
        !settings.has_gate || rl::is_gate_open({.explained_variance = critique.explained_variance}, 0.0);
    if (iteration % 5 == 0) {
      record(toy, arm, seed, iteration,
             {{"sampled", rollouts.mean_reward()},
              {"greedy", greedy(actor.model, held_out)},
              {"explained_variance", critique.explained_variance},
              {"is_actor_updated", is_open ? 1 : 0}});
    }
    Tensor old_logp;
    {
      const at::NoGradGuard no_grad;
      old_logp = answer_log_probs(actor.model, rollouts);
    }
    for (int pass = 0; pass < 2; ++pass) {
      if (is_open) {
        policy_step(actor, rollouts, old_logp, critique.advantages);
      }
      critic_step(critic, rollouts, critique.targets);
    }
  }
}

// Three rounds of: sample, keep what is right, train on it as on anybody's answers.
void run_rft(Learner& learner, Stream& stream, int length, const std::vector<Question>& held_out, uint64_t seed) {
  for (int round = 0; round <= 3; ++round) {
    std::vector<Question> positives;
    double sampled = 0;
    for (int part = 0; part < 32; ++part) {
      std::vector<Question> questions;
      for (const Question& question : drawn_questions(stream, 32, length)) {
        questions.insert(questions.end(), kGroup, question);
      }
      const Rollouts rollouts = rollouts_of(learner.model, questions, 1, stream.bits());
      sampled += rollouts.mean_reward() / 32;
      for (size_t i = 0; i < questions.size(); ++i) {
        if (rollouts.rewards[i] > 0) {
          positives.push_back({questions[i].prompt, rollouts.answers[i]});
        }
      }
    }
    record("reverse", "rft", seed, round, {{"sampled", sampled}, {"greedy", greedy(learner.model, held_out)}});
    for (int step = 0; step < 60 && !positives.empty(); ++step) {
      std::vector<Question> batch;
      for (int i = 0; i < 128; ++i) {
        batch.push_back(positives[static_cast<size_t>(stream.below(static_cast<int>(positives.size())))]);
      }
      supervised_step(learner, batch);
    }
  }
}

Learner fresh_learner(uint64_t seed) {
  Learner learner{train::Decoder::random(config(), seed, 0.08)};
  learner.model.train_base(true);
  learner.learning_rate = 2e-3;
  return learner;
}

}  // namespace reverse_toy

void run_reverse(const std::string& arm, uint64_t seed) {
  using namespace reverse_toy;
  constexpr int kLength = 5;
  Stream stream(seed);
  const std::vector<Question> held_out = drawn_questions(stream, kHeldOut, kLength);
  Learner learner = fresh_learner(seed);
  const int steps = warm_start(learner, stream, kLength, held_out, 0.25);
  record("reverse_warm_start", arm, seed, steps, {{"greedy", greedy(learner.model, held_out)}});
  learner.optimizer = train::AdamW(train::AdamWSettings{});
  learner.learning_rate = 5e-4;
  if (arm == "ppo") {
    run_ppo(learner, stream, kLength, 150, {}, held_out, "reverse", arm, seed);
    return;
  }
  if (arm == "rft") {
    run_rft(learner, stream, kLength, held_out, seed);
    return;
  }
  if (arm == "lora") {
    learner.model.add_adapter({.rank = 8, .alpha = 16}, seed);
    learner.learning_rate = 3e-3;
  }
  for (int iteration = 0; iteration <= 300; ++iteration) {
    const bool is_told = iteration % 10 == 0;
    const double rate = is_told ? greedy(learner.model, held_out) : 0;
    double sampled = 0;
    group_update(learner, stream, kLength, stream.bits(), sampled);
    if (is_told) {
      record("reverse", arm, seed, iteration, {{"sampled", sampled}, {"greedy", rate}});
    }
    if (rate >= 0.99) {
      break;
    }
  }
}

void run_collapse(const std::string& arm, uint64_t seed) {
  using namespace reverse_toy;
  constexpr int kLength = 6;
  Stream stream(seed);
  const std::vector<Question> held_out = drawn_questions(stream, kHeldOut, kLength);
  Learner learner = fresh_learner(seed);
  warm_start(learner, stream, kLength, held_out, 0.6);
  learner.optimizer = train::AdamW(train::AdamWSettings{});
  learner.learning_rate = 5e-4;
  run_ppo(learner, stream, kLength, 60,
          {.head_deviation = 1,
           .critic_rate = 2e-4,
           .pretraining = arm == "pretrained" ? 150 : 0,
           .has_gate = arm == "gate"},
          held_out, "collapse", arm, seed);
}

}  // namespace stitch::toys

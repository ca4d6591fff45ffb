// SPDX-License-Identifier: Apache-2.0
#include "toys/learner.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "rl/advantage/filter.h"
#include "rl/correction/mismatch.h"
#include "train/model/token_scores.h"

namespace stitch::toys {
namespace {

std::vector<double> numbers(const Tensor& tensor) {
  const Tensor wide = tensor.detach().to(at::kDouble).contiguous();
  const double* first = wide.const_data_ptr<double>();
  return {first, first + wide.numel()};
}

// Rows of the sequences that an update keeps.
Rollouts selected(const Rollouts& rollouts, const std::vector<int64_t>& rows) {
  const Tensor index = at::tensor(rows);
  Rollouts result;
  result.tokens = rollouts.tokens.index_select(0, index);
  result.mask = rollouts.mask.index_select(0, index);
  result.sampler_logp = rollouts.sampler_logp.index_select(0, index);
  return result;
}

// Weights by sequence, and how far the sampler was from `old_logp`.
Tensor corrected(const Rollouts& rollouts, const Tensor& old_logp, const rl::ImportanceOptions& options,
                 UpdateFacts& facts) {
  const auto columns = static_cast<size_t>(old_logp.size(1));
  const std::vector<double> old = numbers(old_logp);
  const std::vector<double> sampler = numbers(rollouts.sampler_logp);
  const std::vector<double> wide_mask = numbers(rollouts.mask);
  const std::vector<uint8_t> mask(wide_mask.begin(), wide_mask.end());
  std::vector<double> weights;
  std::vector<rl::LogProbPair> pairs;
  for (size_t at = 0; at < old.size(); at += columns) {
    pairs.push_back({std::span(old).subspan(at, columns), std::span(sampler).subspan(at, columns),
                     std::span(mask).subspan(at, columns)});
    const auto one =
        rl::importance_weights(pairs.back().old_logp, pairs.back().sampler_logp, pairs.back().mask, options);
    weights.insert(weights.end(), one.weights.begin(), one.weights.end());
  }
  facts.mismatch = rl::mismatch_of(pairs).mean_abs;
  return at::tensor(weights, at::dtype(at::kFloat)).reshape(old_logp.sizes());
}

}  // namespace

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

std::vector<Question> in_groups(const std::vector<Question>& questions) {
  std::vector<Question> all;
  for (const Question& question : questions) {
    all.insert(all.end(), kGroup, question);
  }
  return all;
}

void Learner::step(const Tensor& loss) {
  const train::NamedTensors parameters = model.trainable();
  train::clear_gradients(parameters);
  loss.backward();
  if (std::isfinite(train::clip_gradients(parameters, 1))) {
    optimizer.step(parameters, learning_rate);
  }
}

void Learner::begin(double rate) {
  optimizer = train::AdamW(train::AdamWSettings{});
  learning_rate = rate;
}

Learner fresh_learner(uint64_t seed, int64_t vocabulary) {
  weights::ModelConfig config;
  config.architecture = weights::Architecture::kQwen3;
  config.vocab_size = vocabulary;
  config.hidden_size = 64;
  config.intermediate_size = 192;
  config.layers = 2;
  config.heads = 4;
  config.kv_heads = 2;
  config.head_dim = 16;
  config.max_positions = 64;
  config.ties_embeddings = true;
  Learner learner{train::Decoder::random(config, seed, 0.08)};
  learner.model.train_base(true);
  return learner;
}

train::Decoder copy_of(const train::Decoder& model) {
  train::NamedTensors copies;
  for (const auto& [name, tensor] : model.base_parameters()) {
    copies[name] = tensor.detach().clone();
  }
  return train::Decoder::from_parameters(model.config(), copies).value();
}

double Rollouts::mean_reward() const {
  double sum = 0;
  for (const double reward : rewards) {
    sum += reward / static_cast<double>(rewards.size());
  }
  return sum;
}

std::vector<std::vector<int64_t>> prompts_of(const std::vector<Question>& questions) {
  std::vector<std::vector<int64_t>> prompts;
  for (const Question& question : questions) {
    prompts.push_back(question.prompt);
  }
  return prompts;
}

Rollouts drawn_rollouts(const train::Decoder& model, const std::vector<std::vector<int64_t>>& prompts,
                        const Draw& draw) {
  std::vector<train::SampleRequest> requests;
  for (const auto& prompt : prompts) {
    requests.push_back({prompt, requests.size()});
  }
  train::SampleSettings settings;
  settings.max_tokens = draw.tokens;
  settings.stop_tokens = draw.stop_tokens;
  settings.seed = draw.seed;
  const auto samples = train::sample(model, requests, settings, draw.allowed);
  const size_t before = prompts[0].size() - 1;  // columns of the mask that belong to the prompt
  const size_t columns = before + static_cast<size_t>(draw.tokens);
  std::vector<int64_t> tokens;
  std::vector<double> logp;
  std::vector<int64_t> mask;
  Rollouts rollouts;
  for (size_t i = 0; i < prompts.size(); ++i) {
    const train::Sample& sample = samples.value()[i];
    tokens.insert(tokens.end(), prompts[i].begin(), prompts[i].end());
    tokens.insert(tokens.end(), sample.tokens.begin(), sample.tokens.end());
    tokens.resize((i + 1) * (columns + 1), 0);
    logp.resize(i * columns + before, 0.0);
    mask.resize(i * columns + before, 0);
    logp.insert(logp.end(), sample.log_probs.begin(), sample.log_probs.end());
    mask.insert(mask.end(), sample.tokens.size(), 1);
    logp.resize((i + 1) * columns, 0.0);
    mask.resize((i + 1) * columns, 0);
    rollouts.answers.push_back(sample.tokens);
  }
  const auto rows = static_cast<int64_t>(prompts.size());
  rollouts.tokens = at::tensor(tokens).reshape({rows, -1});
  rollouts.sampler_logp = at::tensor(logp, at::dtype(at::kFloat)).reshape({rows, -1});
  rollouts.mask = at::tensor(mask).reshape({rows, -1}).gt(0);
  return rollouts;
}

Rollouts judged_rollouts(const train::Decoder& model, const std::vector<Question>& questions, uint64_t seed) {
  Rollouts rollouts = drawn_rollouts(model, prompts_of(questions),
                                     {.tokens = static_cast<int64_t>(questions[0].answer.size()), .seed = seed});
  for (size_t i = 0; i < questions.size(); ++i) {
    rollouts.rewards.push_back(rollouts.answers[i] == questions[i].answer ? 1 : 0);
  }
  return rollouts;
}

Rollouts given_rollouts(const std::vector<Question>& questions) {
  std::vector<int64_t> all;
  for (const Question& question : questions) {
    all.insert(all.end(), question.prompt.begin(), question.prompt.end());
    all.insert(all.end(), question.answer.begin(), question.answer.end());
  }
  Rollouts rollouts;
  rollouts.tokens = at::tensor(all).reshape({static_cast<int64_t>(questions.size()), -1});
  const int64_t first = static_cast<int64_t>(questions[0].prompt.size()) - 1;
  const int64_t columns = rollouts.tokens.size(1) - 1;
  rollouts.mask = at::zeros({rollouts.tokens.size(0), columns}, at::kBool);
  rollouts.mask.narrow(1, first, columns - first).fill_(true);
  return rollouts;
}

Tensor log_probs_of(const train::Decoder& model, const Rollouts& rollouts) {
  return train::token_scores(model, rollouts.tokens, rollouts.mask).log_probs;
}

Skill skill_of(const train::Decoder& model, const std::vector<Question>& questions, int64_t first, int64_t count) {
  const at::NoGradGuard no_grad;
  const Rollouts right = given_rollouts(questions);
  const auto length = static_cast<int64_t>(questions[0].answer.size());
  const int64_t columns = right.tokens.size(1);
  Tensor logits = model.logits(model.hidden(right.tokens)).narrow(1, columns - 1 - length, length);
  Tensor answers = right.tokens.narrow(1, columns - length, length);
  if (count > 0) {
    logits = logits.narrow(2, first, count);
    answers = answers - first;
  }
  const Tensor chosen = logits.log_softmax(-1).gather(-1, answers.unsqueeze(-1)).squeeze(-1);
  return {.success = chosen.sum(1).exp().mean().item<double>(),
          .greedy = logits.argmax(-1).eq(answers).all(1).to(at::kDouble).mean().item<double>()};
}

void supervised_step(Learner& learner, const std::vector<Question>& questions) {
  const Rollouts given = given_rollouts(questions);
  const Tensor logp = log_probs_of(learner.model, given);
  learner.step(train::supervised_loss(logp, given.mask, {}, train::counts_of(given.mask)));
}

int warm_start(Learner& learner, Stream& stream, int length, const std::vector<Question>& held_out, double level) {
  for (int step = 1; step <= 400; ++step) {
    supervised_step(learner, drawn_questions(stream, 128, length));
    if (step % 5 == 0 && skill_of(learner.model, held_out).greedy >= level) {
      return step;
    }
  }
  return -1;
}

UpdateFacts update_policy(Learner& learner, const Rollouts& rollouts, const Tensor& advantages,
                          const GroupUpdate& settings) {
  UpdateFacts facts;
  Tensor old_logp;
  {
    const at::NoGradGuard no_grad;
    old_logp = log_probs_of(learner.model, rollouts);
  }
  train::PolicyInputs inputs{.logp = {}, .old_logp = old_logp, .advantages = advantages, .mask = rollouts.mask};
  inputs.weights = corrected(rollouts, old_logp, settings.correction, facts);
  const train::BatchCounts counts = train::counts_of(rollouts.mask);
  train::PolicySums sums;
  for (int pass = 0; pass < settings.passes; ++pass) {
    inputs.logp = log_probs_of(learner.model, rollouts);
    const train::PolicyLoss loss = train::policy_loss(inputs, settings.loss, counts);
    sums = sums + loss.sums;
    learner.step(loss.loss);
  }
  facts.largest_ratio = sums.largest_ratio;
  facts.clipped = (sums.clipped_low + sums.clipped_high) / std::max(1.0, sums.tokens);
  return facts;
}

UpdateFacts update_by_groups(Learner& learner, const Rollouts& rollouts, const GroupUpdate& settings) {
  std::vector<int64_t> kept;
  std::vector<double> advantages;
  for (size_t at = 0; at < rollouts.rewards.size(); at += kGroup) {
    std::vector<std::optional<double>> rewards;
    std::vector<rl::JudgedSample> judged;
    for (size_t i = at; i < at + kGroup; ++i) {
      rewards.emplace_back(rollouts.rewards[i]);
      judged.push_back({.reward = rollouts.rewards[i], .is_pass = rollouts.rewards[i] > 0});
    }
    if (rl::fate_of_group(judged, {}) != rl::GroupFate::kKept) {
      continue;
    }
    const auto of_group = rl::group_advantages(rewards, {.baseline = settings.baseline});
    for (size_t i = 0; i < kGroup; ++i) {
      kept.push_back(static_cast<int64_t>(at + i));
      advantages.push_back(*of_group[i]);
    }
  }
  if (kept.empty()) {
    return {};
  }
  const Rollouts of_kept = selected(rollouts, kept);
  const Tensor by_sample = at::tensor(advantages, at::dtype(at::kFloat)).reshape({-1, 1});
  return update_policy(learner, of_kept, by_sample.expand(of_kept.mask.sizes()), settings);
}

}  // namespace stitch::toys

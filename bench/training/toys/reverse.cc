// SPDX-License-Identifier: Apache-2.0
#include "toys/critic.h"
#include "toys/learner.h"
#include "toys/toys.h"

namespace stitch::toys {
namespace reverse_toy {

constexpr int kLength = 5;
constexpr int kIterations = 300;
constexpr double kEnough = 0.99;

bool is_same(const train::NamedTensors& a, const train::NamedTensors& b) {
  for (const auto& [name, tensor] : a) {
    if (!tensor.equal(b.at(name))) {
      return false;
    }
  }
  return true;
}

// Groups of eight until greedy decoding answers nearly all. Rollouts come from the policy of `lag` iterations ago.
void run_groups(Learner& learner, Stream& stream, const std::vector<Question>& held_out, const std::string& arm,
                const GroupUpdate& update, size_t lag, uint64_t seed) {
  std::vector<train::Decoder> earlier;
  const train::NamedTensors before = copy_of(learner.model).base_parameters();
  for (int iteration = 0; iteration <= kIterations; ++iteration) {
    const auto questions = in_groups(drawn_questions(stream, kBatch / kGroup, kLength));
    if (lag > 0) {
      earlier.push_back(copy_of(learner.model));
      if (earlier.size() > lag + 1) {
        earlier.erase(earlier.begin());
      }
    }
    const train::Decoder& sampler = lag > 0 ? earlier.front() : learner.model;
    const Rollouts rollouts = judged_rollouts(sampler, questions, stream.bits());
    const Skill skill = iteration % 5 == 0 ? skill_of(learner.model, held_out) : Skill();
    const UpdateFacts facts = update_by_groups(learner, rollouts, update);
    if (iteration % 5 != 0) {
      continue;
    }
    record("reverse", arm, seed, iteration,
           {{"success", skill.success},
            {"greedy", skill.greedy},
            {"mismatch", facts.mismatch},
            {"largest_ratio", facts.largest_ratio},
            {"is_base_same", is_same(before, learner.model.base_parameters()) ? 1 : 0}});
    if (skill.greedy >= kEnough) {
      return;
    }
  }
}

// Three rounds of: sample, keep what is right, train on it as on anybody's answers.
void run_rft(Learner& learner, Stream& stream, const std::vector<Question>& held_out, uint64_t seed) {
  for (int round = 0; round <= 3; ++round) {
    std::vector<Question> positives;
    double sampled = 0;
    double wrong_kept = 0;
    for (int part = 0; part < 32; ++part) {
      const auto questions = in_groups(drawn_questions(stream, 32, kLength));
      const Rollouts rollouts = judged_rollouts(learner.model, questions, stream.bits());
      sampled += rollouts.mean_reward() / 32;
      for (size_t i = 0; i < questions.size(); ++i) {
        if (rollouts.rewards[i] > 0) {
          positives.push_back({questions[i].prompt, rollouts.answers[i]});
          const auto& prompt = positives.back().prompt;
          wrong_kept += std::equal(prompt.rbegin() + 1, prompt.rend() - 1, positives.back().answer.begin()) ? 0 : 1;
        }
      }
    }
    const Skill skill = skill_of(learner.model, held_out);
    record("rft", "rft", seed, round,
           {{"sampled", sampled}, {"success", skill.success}, {"greedy", skill.greedy}, {"wrong_kept", wrong_kept}});
    for (int step = 0; step < 60 && !positives.empty(); ++step) {
      std::vector<Question> batch;
      for (int i = 0; i < 128; ++i) {
        batch.push_back(positives[static_cast<size_t>(stream.below(static_cast<int>(positives.size())))]);
      }
      supervised_step(learner, batch);
    }
  }
}

Learner warm_learner(uint64_t seed, Stream& stream, const std::vector<Question>& held_out, const std::string& toy,
                     const std::string& arm) {
  Learner learner = fresh_learner(seed);
  const int steps = warm_start(learner, stream, kLength, held_out, 0.25);
  record(toy + "_warm_start", arm, seed, steps, {{"greedy", skill_of(learner.model, held_out).greedy}});
  learner.begin(5e-4);
  return learner;
}

}  // namespace reverse_toy

void run_reverse(const std::string& arm, uint64_t seed) {
  using namespace reverse_toy;
  Stream stream(seed);
  const auto held_out = drawn_questions(stream, kHeldOut, kLength);
  Learner learner = warm_learner(seed, stream, held_out, "reverse", arm);
  if (arm == "ppo") {
    run_ppo(learner, stream, kLength, {.iterations = 150, .enough = kEnough}, held_out, "reverse", arm, seed);
    return;
  }
  if (arm == "lora") {
    learner.model.add_adapter({.rank = 8, .alpha = 16, .targets = train::all_linears(), .base_model = {}}, seed);
    learner.learning_rate = 3e-3;
  }
  GroupUpdate update;
  if (arm == "stale_corrected") {
    update.correction.correction = rl::ImportanceCorrection::kSequenceTruncated;
  }
  run_groups(learner, stream, held_out, arm, update, arm.starts_with("stale") ? 2 : 0, seed);
}

void run_rft(const std::string& arm, uint64_t seed) {
  using namespace reverse_toy;
  Stream stream(seed);
  const auto held_out = drawn_questions(stream, kHeldOut, kLength);
  Learner learner = warm_learner(seed, stream, held_out, "rft", arm);
  run_rft(learner, stream, held_out, seed);
}

}  // namespace stitch::toys

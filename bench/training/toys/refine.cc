// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <optional>

#include "rl/advantage/turns.h"
#include "toys/learner.h"
#include "toys/toys.h"

namespace stitch::toys {
namespace refine_toy {

constexpr int64_t kObserved = 12;  // begins what the environment says
constexpr int64_t kLength = 4;
constexpr int kIterations = 200;
// begin, digits, turn; answer; observed, place, turn; answer
constexpr int64_t kFirst = kLength + 2;
constexpr int64_t kSecond = kFirst + kLength + 3;

// The digits, the last first, but one of them, whose place is not told, one higher: no first answer is better than a
// guess among four. What is told after it is the first place that is wrong, and kLength where none is.
struct Task {
  std::vector<int64_t> prompt;
  std::vector<int64_t> answer;

  std::vector<int64_t> observation(const std::vector<int64_t>& written) const {
    const auto [wrong, unused] = std::mismatch(written.begin(), written.end(), answer.begin());
    return {kObserved, wrong - written.begin(), kTurn};
  }
};

Task drawn_task(Stream& stream) {
  const Question question = drawn_questions(stream, 1, kLength)[0];
  Task task{question.prompt, question.answer};
  int64_t& digit = task.answer[static_cast<size_t>(stream.below(kLength))];
  digit = (digit + 1) % 10;
  return task;
}

std::vector<Task> drawn_tasks(Stream& stream, int count) {
  std::vector<Task> tasks;
  for (int i = 0; i < count; ++i) {
    tasks.push_back(drawn_task(stream));
  }
  return tasks;
}

std::vector<int64_t> joined(std::vector<int64_t> a, const std::vector<int64_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Both turns of each task; returns of a turn are what was earned from it on, and only the last answer earns.
struct Trajectories {
  Rollouts rollouts;
  std::vector<std::vector<double>> returns;
  double first = 0;  // success after each turn
  double second = 0;
};

Trajectories rollouts_of(const train::Decoder& model, const std::vector<Task>& tasks, Stream& stream) {
  std::vector<std::vector<int64_t>> prompts;
  for (const Task& task : tasks) {
    prompts.push_back(task.prompt);
  }
  const Rollouts first = drawn_rollouts(model, prompts, {.tokens = kLength, .seed = stream.bits()});
  Trajectories result;
  for (size_t i = 0; i < tasks.size(); ++i) {
    result.first += first.answers[i] == tasks[i].answer ? 1 : 0;
    prompts[i] = joined(joined(prompts[i], first.answers[i]), tasks[i].observation(first.answers[i]));
  }
  result.rollouts = drawn_rollouts(model, prompts, {.tokens = kLength, .seed = stream.bits()});
  for (size_t i = 0; i < tasks.size(); ++i) {
    const double reward = result.rollouts.answers[i] == tasks[i].answer ? 1 : 0;
    result.second += reward;
    result.returns.push_back(rl::returns_to_go(std::vector<double>{0, reward}, 1));
  }
  // The second call sampled behind the first answer as behind a prompt; both are the model's.
  result.rollouts.mask.narrow(1, kFirst - 1, kLength).fill_(true);
  result.rollouts.sampler_logp.narrow(1, kFirst - 1, kLength).copy_(first.sampler_logp.narrow(1, kFirst - 1, kLength));
  result.first /= static_cast<double>(tasks.size());
  result.second /= static_cast<double>(tasks.size());
  return result;
}

// Advantages by turn against the others of the group that reached it.
Tensor advantages_of(const Trajectories& trajectories) {
  Tensor advantages = at::zeros(trajectories.rollouts.mask.sizes());
  for (size_t at = 0; at < trajectories.returns.size(); at += kGroup) {
    std::vector<std::optional<std::vector<double>>> group;
    for (size_t i = at; i < at + kGroup; ++i) {
      group.emplace_back(trajectories.returns[i]);
    }
    const auto of_group = rl::trloo(group);
    for (size_t i = 0; i < kGroup; ++i) {
      const Tensor row = advantages[static_cast<int64_t>(at + i)];
      row.narrow(0, kFirst - 1, kLength).fill_((*of_group[i])[0]);
      row.narrow(0, kSecond - 1, kLength).fill_((*of_group[i])[1]);
    }
  }
  return advantages;
}

// The largest gradient that the loss has at a token which the environment wrote, all of whose inputs there are NaN.
double observation_gradient(const train::Decoder& model, const Rollouts& rollouts, const Tensor& advantages) {
  Tensor logp;
  {
    const at::NoGradGuard no_grad;
    logp = log_probs_of(model, rollouts);
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor others = ~rollouts.mask;
  const Tensor leaf = logp.masked_fill(others, nan).requires_grad_(true);
  const train::PolicyInputs inputs{.logp = leaf,
                                   .old_logp = logp.masked_fill(others, nan),
                                   .advantages = advantages.masked_fill(others, nan),
                                   .mask = rollouts.mask};
  train::policy_loss(inputs, {}, train::counts_of(rollouts.mask)).loss.backward();
  return leaf.grad().masked_select(others).abs().max().item<double>();
}

// Supervised steps on: the plain answer first, and after the observation the right one.
void supervised_step_of(Learner& learner, Stream& stream) {
  std::vector<Question> questions;
  for (const Task& task : drawn_tasks(stream, 128)) {
    const std::vector<int64_t> plain(task.prompt.rbegin() + 1, task.prompt.rend() - 1);
    questions.push_back({task.prompt, joined(joined(plain, task.observation(plain)), task.answer)});
  }
  const Rollouts given = given_rollouts(questions);
  given.mask.narrow(1, kFirst + kLength - 1, 3).fill_(false);
  const Tensor logp = log_probs_of(learner.model, given);
  learner.step(train::supervised_loss(logp, given.mask, {}, train::counts_of(given.mask)));
}

}  // namespace refine_toy

void run_refine(const std::string& arm, uint64_t seed) {
  using namespace refine_toy;
  Stream stream(seed);
  const auto held_out = drawn_tasks(stream, kHeldOut);
  Learner learner = fresh_learner(seed);
  for (int step = 1; step <= 600; ++step) {
    supervised_step_of(learner, stream);
    if (step % 10 == 0 && rollouts_of(learner.model, held_out, stream).second >= 0.3) {
      break;
    }
  }
  learner.begin(1e-3);
  for (int iteration = 0; iteration <= kIterations; ++iteration) {
    std::vector<Task> tasks;
    for (const Task& task : drawn_tasks(stream, kBatch / kGroup)) {
      tasks.insert(tasks.end(), kGroup, task);
    }
    const Trajectories trajectories = rollouts_of(learner.model, tasks, stream);
    const Tensor advantages = advantages_of(trajectories);
    if (iteration % 10 == 0) {
      const Trajectories told = rollouts_of(learner.model, held_out, stream);
      record("refine", arm, seed, iteration,
             {{"first_turn", told.first},
              {"second_turn", told.second},
              {"observation_gradient", observation_gradient(learner.model, trajectories.rollouts, advantages)}});
      if (told.second >= 0.97) {
        return;
      }
    }
    update_policy(learner, trajectories.rollouts, advantages, {});
  }
}

}  // namespace stitch::toys

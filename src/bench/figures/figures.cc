// SPDX-License-Identifier: Apache-2.0
#include "bench/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bench/figures/by_task.h"

namespace stitch::bench {
namespace {

constexpr double kOne = 1.0;

// The ks up to the fewest samples of a task, powers of two and that number.
std::vector<int64_t> ks_of(const TasksOfGroup& tasks) {
  int64_t fewest = tasks.empty() ? 0 : static_cast<int64_t>(tasks.begin()->second.size());
  for (const auto& [name, samples] : tasks) {
    fewest = std::min(fewest, static_cast<int64_t>(samples.size()));
  }
  std::set<int64_t> ks;
  for (int64_t k = 1; k <= fewest; k *= 2) {
    ks.insert(k);
  }
  if (fewest > 0) {
    ks.insert(fewest);
  }
  return {ks.begin(), ks.end()};
}

// The mean over tasks of the unbiased estimate at k, where `is_good` says which samples are.
template <typename IsGood>
Result<double> estimate_at(const TasksOfGroup& tasks, int64_t k, const IsGood& is_good) {
  std::vector<double> estimates;
  for (const auto& [name, samples] : tasks) {
    const int64_t good = std::count_if(samples.begin(), samples.end(), is_good);
    estimates.push_back(pass_at_k(static_cast<int64_t>(samples.size()), good, k));
  }
  return arithmetic_mean(estimates);
}

template <typename IsGood>
Result<Interval> share_of(const TasksOfGroup& tasks, const IsGood& is_good) {
  std::vector<double> shares;
  for (const auto& [name, samples] : tasks) {
    const auto good = static_cast<double>(std::count_if(samples.begin(), samples.end(), is_good));
    shares.push_back(good / static_cast<double>(samples.size()));
  }
  return bootstrap(shares, arithmetic_mean);
}

Result<void> add_means(const TasksOfGroup& timed, const std::string& baseline, BaselineFigures& figures) {
  std::vector<double> with_failures;
  std::vector<double> of_right;
  for (const auto& [name, samples] : timed) {
    double sum = 0;
    for (const TaskResult* sample : samples) {
      const RatioResult* ratio = ratio_over(*sample, baseline);
      if (ratio != nullptr) {
        sum += *ratio->ratio;
        of_right.push_back(*ratio->ratio);
      }
    }
    with_failures.push_back(sum / static_cast<double>(samples.size()));
  }
  STITCH_ASSIGN(figures.arithmetic, bootstrap(with_failures, arithmetic_mean));
  if (!of_right.empty()) {
    STITCH_ASSIGN(figures.geometric, bootstrap(of_right, geometric_mean));
  }
  return {};
}

Result<BaselineFigures> over_baseline(const TasksOfGroup& tasks, const std::string& baseline) {
  BaselineFigures figures;
  TasksOfGroup timed;
  for (const auto& [name, samples] : tasks) {
    const bool is_timed = std::all_of(samples.begin(), samples.end(), [&](const TaskResult* sample) {
      return !sample->is_success() || ratio_over(*sample, baseline) != nullptr;
    });
    if (is_timed) {
      timed[name] = samples;
    }
  }
  figures.timed = static_cast<int64_t>(timed.size());
  figures.untimed = static_cast<int64_t>(tasks.size() - timed.size());
  if (timed.empty()) {
    return figures;
  }
  const auto faster_than = [&](double p) {
    return [&baseline, p](const TaskResult* sample) { return is_faster(*sample, baseline, p); };
  };
  STITCH_ASSIGN(figures.fast_1, share_of(timed, faster_than(kOne)));
  for (const double p : kSpeedups) {
    STITCH_ASSIGN(const double share, estimate_at(timed, 1, faster_than(p)));
    figures.fast_p.push_back(share);
  }
  for (const int64_t k : ks_of(timed)) {
    STITCH_ASSIGN(figures.fast_at[k], estimate_at(timed, k, faster_than(kOne)));
  }
  STITCH_TRY(add_means(timed, baseline, figures));
  return figures;
}

void count_sample(const TaskResult& sample, GroupFigures& group) {
  ++group.samples;
  group.right += sample.is_right() ? 1 : 0;
  group.partial_hacks += sample.hack_class == HackClass::kPartial ? 1 : 0;
  group.total_hacks += sample.hack_class == HackClass::kTotal ? 1 : 0;
  group.asked_others += sample.others.empty() ? 0 : 1;
  for (const auto& [rule, takes] : sample.others) {
    group.others[rule] += takes ? 1 : 0;
  }
  if (!sample.is_right()) {
    ++group.failures[outcome_word(sample)];
  }
  group.spent.seconds += sample.spent.seconds;
  group.spent.gpu_seconds += sample.spent.gpu_seconds;
  group.spent.requests += sample.spent.requests;
  group.spent.prompt_tokens += sample.spent.prompt_tokens;
  group.spent.answer_tokens += sample.spent.answer_tokens;
  group.spent.dollars += sample.spent.dollars;
}

Result<void> add_coder(const TasksOfGroup& tasks, GroupFigures& group) {
  CoderFigures coder;
  TasksOfGroup asked;
  for (const auto& [name, samples] : tasks) {
    for (const TaskResult* sample : samples) {
      if (sample->is_whole_answer().has_value()) {
        ++coder.samples;
        coder.sub_tasks += *sample->sub_tasks;
        coder.sub_tasks_right += *sample->sub_tasks_right;
        asked[name].push_back(sample);
      }
    }
  }
  if (!asked.empty()) {
    STITCH_ASSIGN(coder.whole, share_of(asked, [](const TaskResult* sample) { return *sample->is_whole_answer(); }));
    group.coder = coder;
  }
  return {};
}

Result<void> add_modelled(const TasksOfGroup& tasks, GroupFigures& group) {
  std::vector<double> gains;
  for (const auto& [name, samples] : tasks) {
    for (const TaskResult* sample : samples) {
      if (sample->is_success() && sample->executed_us.has_value() && sample->first_executed_us.has_value()) {
        gains.push_back(*sample->first_executed_us / *sample->executed_us);
      }
    }
  }
  group.modelled = static_cast<int64_t>(gains.size());
  if (!gains.empty()) {
    STITCH_ASSIGN(group.modelled_gain, bootstrap(gains, geometric_mean));
  }
  return {};
}

Result<void> add_floor(const TasksOfGroup& tasks, GroupFigures& group) {
  std::map<std::string, std::vector<double>> shares;
  for (const auto& [name, samples] : tasks) {
    for (const TaskResult* sample : samples) {
      const std::optional<double> share = sample->floor_share();
      if (sample->is_success() && share.has_value()) {
        shares[sample->measured_us.has_value() ? "measured" : "modelled"].push_back(*share);
      }
    }
  }
  for (const auto& [kind, values] : shares) {
    group.floor[kind].samples = static_cast<int64_t>(values.size());
    STITCH_ASSIGN(group.floor[kind].share, bootstrap(values, geometric_mean));
  }
  return {};
}

Result<GroupFigures> group_of(const std::string& name, const TasksOfGroup& tasks,
                              const std::set<std::string>& baselines) {
  GroupFigures group;
  group.name = name;
  group.tasks = static_cast<int64_t>(tasks.size());
  int64_t successes = 0;
  for (const auto& [task, samples] : tasks) {
    for (const TaskResult* sample : samples) {
      count_sample(*sample, group);
      successes += sample->is_success() ? 1 : 0;
    }
  }
  const auto is_success = [](const TaskResult* sample) { return sample->is_success(); };
  STITCH_ASSIGN(group.success, share_of(tasks, is_success));
  for (const int64_t k : ks_of(tasks)) {
    STITCH_ASSIGN(group.pass_at[k], estimate_at(tasks, k, is_success));
  }
  for (const std::string& baseline : baselines) {
    STITCH_ASSIGN(group.over[baseline], over_baseline(tasks, baseline));
  }
  STITCH_TRY(add_coder(tasks, group));
  STITCH_TRY(add_modelled(tasks, group));
  STITCH_TRY(add_floor(tasks, group));
  if (successes > 0 && group.spent.dollars > 0) {
    group.dollars_a_success = group.spent.dollars / static_cast<double>(successes);
  }
  return group;
}

std::vector<AsideLine> lines_aside(const std::vector<TaskResult>& results) {
  std::vector<AsideLine> lines;
  for (const auto& [task, samples] : by_task(results, [](const TaskResult&) { return true; })) {
    const TaskResult& first = *samples.front();
    if (first.standing == Standing::kSound) {
      continue;
    }
    AsideLine line{task, first.standing, first.standing_reason, ""};
    for (const TaskResult* sample : samples) {
      line.outcome += (line.outcome.empty() ? "" : ", ") + outcome_word(*sample);
    }
    lines.push_back(std::move(line));
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const AsideLine& a, const AsideLine& b) { return a.standing < b.standing; });
  return lines;
}

}  // namespace

std::string GroupFigures::hacks() const {
  return fmt::format("{} partial / {} total of {}", partial_hacks, total_hacks, samples);
}

Result<Figures> figures_of(const std::vector<TaskResult>& results) {
  Figures figures;
  figures.aside = lines_aside(results);
  figures.world =
      std::count_if(results.begin(), results.end(), [](const TaskResult& each) { return is_open(each.outcome); });
  std::set<std::string> baselines;
  for (const TaskResult& result : results) {
    for (const auto& [baseline, ratio] : result.over) {
      if (ratio.ratio.has_value()) {
        baselines.insert(baseline);
      }
    }
  }
  for (const auto& [name, tasks] : groups_of(results)) {
    STITCH_ASSIGN(GroupFigures group, group_of(name, tasks, baselines));
    figures.groups.push_back(std::move(group));
  }
  return figures;
}

}  // namespace stitch::bench

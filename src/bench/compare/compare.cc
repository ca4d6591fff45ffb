// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json/json.h"
#include "bench/figures/by_task.h"

namespace stitch::bench {
namespace {

struct TimeKind {
  const char* name;
  std::optional<double> TaskResult::*time;
};
constexpr TimeKind kTimeKinds[] = {{"measured", &TaskResult::measured_us},
                                   {"executed", &TaskResult::executed_us},
                                   {"modelled", &TaskResult::modelled_us}};

// A smaller difference of modelled times is none.
constexpr double kAlike = 1.005;

using Pair = std::pair<const std::vector<const TaskResult*>*, const std::vector<const TaskResult*>*>;

double success_of(const std::vector<const TaskResult*>& samples) {
  const auto good = std::count_if(samples.begin(), samples.end(), [](const TaskResult* s) { return s->is_success(); });
  return static_cast<double>(good) / static_cast<double>(samples.size());
}

// The share of whole answers among samples that agents were asked about; nothing where there is none.
std::optional<double> whole_of(const std::vector<const TaskResult*>& samples) {
  int64_t asked = 0;
  int64_t whole = 0;
  for (const TaskResult* sample : samples) {
    const std::optional<bool> is_whole = sample->is_whole_answer();
    asked += is_whole.has_value() ? 1 : 0;
    whole += is_whole.value_or(false) ? 1 : 0;
  }
  return asked > 0 ? std::optional(static_cast<double>(whole) / static_cast<double>(asked)) : std::nullopt;
}

// The geometric mean of its right answers' times; nothing where one has no such time.
std::optional<double> time_of(const std::vector<const TaskResult*>& samples, const TimeKind& kind) {
  double logs = 0;
  int64_t count = 0;
  for (const TaskResult* sample : samples) {
    if (!sample->is_success()) {
      continue;
    }
    const std::optional<double>& time = sample->*kind.time;
    if (!time.has_value() || !(*time > 0)) {
      return std::nullopt;
    }
    logs += std::log(*time);
    ++count;
  }
  return count > 0 ? std::optional(std::exp(logs / static_cast<double>(count))) : std::nullopt;
}

// The kind that most tasks have on both sides; earlier kinds go before later ones where as many have them.
const TimeKind* kind_of(const std::vector<Pair>& pairs, int64_t& timed) {
  const TimeKind* best = nullptr;
  timed = 0;
  for (const TimeKind& kind : kTimeKinds) {
    const auto has = [&](const Pair& pair) { return time_of(*pair.first, kind) && time_of(*pair.second, kind); };
    const int64_t count = std::count_if(pairs.begin(), pairs.end(), has);
    if (count > timed) {
      timed = count;
      best = &kind;
    }
  }
  return best;
}

void decide_winner(ComparedTask& row, const char* kind) {
  if (row.first_success != row.second_success) {
    const bool is_first = row.first_success > row.second_success;
    row.winner = is_first ? Winner::kFirst : Winner::kSecond;
    row.why =
        fmt::format("right in {:.0f} against {:.0f} % of samples", 100 * row.first_success, 100 * row.second_success);
  } else if (row.ratio.has_value() && (*row.ratio > kAlike || *row.ratio < 1 / kAlike)) {
    row.winner = *row.ratio > 1 ? Winner::kFirst : Winner::kSecond;
    row.why = fmt::format("{:.2f} times as fast ({})", std::max(*row.ratio, 1 / *row.ratio), kind);
  } else if (row.first_whole.has_value() && row.second_whole.has_value() && *row.first_whole != *row.second_whole) {
    row.winner = *row.first_whole > *row.second_whole ? Winner::kFirst : Winner::kSecond;
    row.why = fmt::format("whole answers of its Coder in {:.0f} against {:.0f} % of samples", 100 * *row.first_whole,
                          100 * *row.second_whole);
  } else if (row.first_success == 0) {
    row.why = "neither is right";
  } else {
    row.why = row.ratio.has_value() ? "as fast" : "both are right";
  }
}

Result<void> add_figures(Comparison& comparison) {
  std::vector<double> differences;
  std::vector<double> wholes;
  std::vector<double> ratios;
  for (const ComparedTask& row : comparison.rows) {
    if (row.first_whole.has_value() && row.second_whole.has_value()) {
      wholes.push_back(*row.first_whole - *row.second_whole);
    }
    differences.push_back(row.first_success - row.second_success);
    if (row.ratio.has_value()) {
      ratios.push_back(*row.ratio);
    }
  }
  if (!differences.empty()) {
    STITCH_ASSIGN(comparison.success_difference, bootstrap(differences, arithmetic_mean));
  }
  if (!wholes.empty()) {
    STITCH_ASSIGN(comparison.whole_difference, bootstrap(wholes, arithmetic_mean));
  }
  if (!ratios.empty()) {
    STITCH_ASSIGN(comparison.time_ratio, bootstrap(ratios, geometric_mean));
  }
  return {};
}

const char* word(Winner winner) {
  constexpr const char* kWords[] = {"first", "second", "nobody"};
  return kWords[static_cast<size_t>(winner)];
}

Json or_null(const std::optional<double>& value) { return value.has_value() ? Json(*value) : Json(); }

Json or_null(const std::optional<Interval>& interval) {
  return interval.has_value() ? Json{{"value", interval->value}, {"low", interval->low}, {"high", interval->high}}
                              : Json();
}

}  // namespace

int64_t Comparison::wins(Winner winner) const {
  return std::count_if(rows.begin(), rows.end(), [&](const ComparedTask& row) { return row.winner == winner; });
}

Result<Comparison> compare_runs(const std::vector<TaskResult>& first, const std::vector<TaskResult>& second) {
  const auto ended = [](const TaskResult& result) { return !is_open(result.outcome); };
  const TasksOfGroup firsts = by_task(first, ended);
  const TasksOfGroup seconds = by_task(second, ended);
  Comparison comparison;
  std::vector<Pair> pairs;
  for (const auto& [task, samples] : firsts) {
    const auto other = seconds.find(task);
    if (other == seconds.end()) {
      ++comparison.only_first;
    } else if (samples.front()->digest != other->second.front()->digest) {
      ++comparison.different;
    } else if (samples.front()->standing != Standing::kSound || other->second.front()->standing != Standing::kSound) {
      ++comparison.aside;
    } else {
      comparison.rows.push_back({.task = task});
      pairs.emplace_back(&samples, &other->second);
    }
  }
  comparison.only_second =
      std::count_if(seconds.begin(), seconds.end(), [&](const auto& each) { return !firsts.contains(each.first); });
  comparison.tasks = static_cast<int64_t>(comparison.rows.size());
  const TimeKind* kind = kind_of(pairs, comparison.timed);
  comparison.time_kind = kind == nullptr ? "" : kind->name;
  for (size_t i = 0; i < pairs.size(); ++i) {
    ComparedTask& row = comparison.rows[i];
    row.first_success = success_of(*pairs[i].first);
    row.second_success = success_of(*pairs[i].second);
    row.first_whole = whole_of(*pairs[i].first);
    row.second_whole = whole_of(*pairs[i].second);
    const auto first_us = kind == nullptr ? std::nullopt : time_of(*pairs[i].first, *kind);
    const auto second_us = kind == nullptr ? std::nullopt : time_of(*pairs[i].second, *kind);
    if (first_us.has_value() && second_us.has_value()) {
      row.ratio = *second_us / *first_us;
    }
    decide_winner(row, comparison.time_kind.c_str());
  }
  STITCH_TRY(add_figures(comparison));
  return comparison;
}

Json to_json(const Comparison& comparison) {
  Json rows = Json::array();
  for (const ComparedTask& row : comparison.rows) {
    rows.push_back({{"task", row.task},
                    {"first_success", row.first_success},
                    {"second_success", row.second_success},
                    {"first_whole", or_null(row.first_whole)},
                    {"second_whole", or_null(row.second_whole)},
                    {"ratio", or_null(row.ratio)},
                    {"winner", word(row.winner)},
                    {"why", row.why}});
  }
  return {{"tasks", comparison.tasks},
          {"only_first", comparison.only_first},
          {"only_second", comparison.only_second},
          {"aside", comparison.aside},
          {"different_files", comparison.different},
          {"success_difference", or_null(comparison.success_difference)},
          {"whole_answers_difference", or_null(comparison.whole_difference)},
          {"time_ratio", or_null(comparison.time_ratio)},
          {"time_kind", comparison.time_kind},
          {"timed", comparison.timed},
          {"wins",
           {{"first", comparison.wins(Winner::kFirst)},
            {"second", comparison.wins(Winner::kSecond)},
            {"nobody", comparison.wins(Winner::kNobody)}}},
          {"rows", std::move(rows)}};
}

std::string describe(const Comparison& comparison, const std::string& first, const std::string& second) {
  std::string text = fmt::format("{} tasks that both have ended and that are sound\n", comparison.tasks);
  const auto count = [&](int64_t number, const std::string& what) {
    text += number > 0 ? fmt::format("  {} {}\n", number, what) : "";
  };
  count(comparison.aside, "of another standing: in no figure");
  count(comparison.different, "whose files differ: in no figure");
  count(comparison.only_first, "only in " + first);
  count(comparison.only_second, "only in " + second);
  if (comparison.success_difference.has_value()) {
    text += fmt::format("success: {} less {} is {}\n", first, second, describe_points(*comparison.success_difference));
  }
  if (comparison.whole_difference.has_value()) {
    text += fmt::format("whole answers of the Coder: {} less {} is {}\n", first, second,
                        describe_points(*comparison.whole_difference));
  }
  if (comparison.time_ratio.has_value()) {
    text += fmt::format("{} time of {} over that of {}, geometric mean of {} tasks that both have right: {}\n",
                        comparison.time_kind, second, first, comparison.timed, describe(*comparison.time_ratio, 3));
  }
  text += fmt::format("won: {} by {}, {} by {}, {} by nobody\n", comparison.wins(Winner::kFirst), first,
                      comparison.wins(Winner::kSecond), second, comparison.wins(Winner::kNobody));
  for (const ComparedTask& row : comparison.rows) {
    if (row.winner != Winner::kNobody) {
      text += fmt::format("  {}: {}, {}\n", row.task, row.winner == Winner::kFirst ? first : second, row.why);
    }
  }
  return text;
}

}  // namespace stitch::bench

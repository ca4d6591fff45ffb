// SPDX-License-Identifier: Apache-2.0
#include "bench/figures/figures_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/text/columns.h"

namespace stitch::bench {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string or_dash(const std::optional<Interval>& interval) {
  return interval.has_value() ? describe(*interval) : "-";
}

std::string failures_of(const GroupFigures& group) {
  std::vector<std::string> parts;
  for (const auto& [reason, count] : group.failures) {
    parts.push_back(fmt::format("{} {}", count, reason));
  }
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string at_k(const std::map<int64_t, double>& at, const char* name) {
  std::vector<std::string> parts;
  for (const auto& [k, share] : at) {
    parts.push_back(fmt::format("{}@{} {:.0f} %", name, k, 100 * share));
  }
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string right_table(const Figures& figures) {
  Rows rows = {{"", "tasks", "success rate", "pass@k", "hacks", "not right"}};
  for (const GroupFigures& group : figures.groups) {
    rows.push_back({group.name, std::to_string(group.tasks), describe_percent(group.success),
                    at_k(group.pass_at, "pass"), group.hacks(), failures_of(group)});
  }
  return in_columns(rows);
}

std::string others_lines(const GroupFigures& all) {
  std::string text;
  for (const auto& [rule, takes] : all.others) {
    text += fmt::format("  {} takes {} of {} answers on the same draws, ours {}\n", rule, takes, all.asked_others,
                        all.right);
  }
  return text.empty() ? "" : "What others' rules say:\n" + text;
}

std::string measured_table(const Figures& figures, const std::string& baseline) {
  Rows rows = {{"", "timed", "fast_1", "mean, failures 0", "geomean, correct", "fast@k", "fast_p"}};
  int64_t untimed = 0;
  for (const GroupFigures& group : figures.groups) {
    const auto found = group.over.find(baseline);
    if (found == group.over.end() || found->second.timed == 0) {
      continue;
    }
    const BaselineFigures& over = found->second;
    untimed = std::max(untimed, over.untimed);
    std::vector<std::string> curve;
    for (size_t i = 0; i < over.fast_p.size(); ++i) {
      curve.push_back(fmt::format("{:g}: {:.0f} %", kSpeedups[i], 100 * over.fast_p[i]));
    }
    rows.push_back({group.name, std::to_string(over.timed), describe_percent(over.fast_1), or_dash(over.arithmetic),
                    or_dash(over.geometric), at_k(over.fast_at, "fast"), fmt::format("{}", fmt::join(curve, ", "))});
  }
  if (rows.size() == 1) {
    return "";
  }
  const std::string left_out =
      untimed > 0
          ? fmt::format("  {} tasks with a right answer have no time that may be told: in no figure here\n", untimed)
          : "";
  return fmt::format("\nMeasured, over {} (faster only by the lower end of the 95 % interval):\n", baseline) +
         in_columns(rows) + left_out;
}

std::string coder_table(const Figures& figures) {
  Rows rows = {{"", "answers", "sub-tasks right", "whole answers"}};
  for (const GroupFigures& group : figures.groups) {
    if (group.coder.has_value()) {
      rows.push_back({group.name, std::to_string(group.coder->samples),
                      fmt::format("{} of {}", group.coder->sub_tasks_right, group.coder->sub_tasks),
                      describe_percent(group.coder->whole)});
    }
  }
  return rows.size() == 1
             ? ""
             : "\nAnswered right by the Coder itself (whole: all sub-tasks of the last plan):\n" + in_columns(rows);
}

std::string modelled_table(const Figures& figures) {
  Rows rows = {{"", "answers", "times as fast as the expert's program, geomean"}};
  for (const GroupFigures& group : figures.groups) {
    if (group.modelled_gain.has_value()) {
      rows.push_back({group.name, std::to_string(group.modelled), describe(*group.modelled_gain, 3)});
    }
  }
  return rows.size() == 1 ? "" : "\nModelled, by what the emulated device counted:\n" + in_columns(rows);
}

std::string floor_table(const Figures& figures, const std::string& kind) {
  Rows rows = {{"", "answers", "floor over time, geomean"}};
  for (const GroupFigures& group : figures.groups) {
    const auto found = group.floor.find(kind);
    if (found != group.floor.end()) {
      rows.push_back({group.name, std::to_string(found->second.samples), describe_percent(found->second.share)});
    }
  }
  return rows.size() == 1 ? ""
                          : fmt::format("\nOf their {} times no program could save (the physical floor):\n", kind) +
                                in_columns(rows);
}

std::string aside_lines(const Figures& figures) {
  if (figures.aside.empty()) {
    return "";
  }
  Rows rows;
  for (const AsideLine& line : figures.aside) {
    rows.push_back({to_string(line.standing), line.task, line.outcome, line.reason});
  }
  return "\nIn no mean:\n" + in_columns(rows);
}

std::string spent_line(const GroupFigures& all) {
  const Spent& spent = all.spent;
  std::string text = fmt::format(
      "\nSpent: {:.0f} s of tasks, {:.0f} GPU-seconds, {} requests, {} tokens, {:.2f} dollars", spent.seconds,
      spent.gpu_seconds, spent.requests, spent.prompt_tokens + spent.answer_tokens, spent.dollars);
  text += all.dollars_a_success.has_value() ? fmt::format(" ({:.3f} a correct task)", *all.dollars_a_success) : "";
  return text + "\n";
}

}  // namespace

std::string in_columns(const Rows& rows) {
  std::vector<int> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_columns(row[i]));
    }
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::string line = " ";
    for (size_t i = 0; i < row.size(); ++i) {
      const bool is_last = i + 1 == row.size();
      const auto fill = static_cast<size_t>(is_last ? 0 : widths[i] - display_columns(row[i]));
      line += " " + row[i] + std::string(fill + (is_last ? 0 : 1), ' ');
    }
    text += line + "\n";
  }
  return text;
}

std::string describe(const Figures& figures) {
  std::string text;
  if (figures.groups.empty()) {
    text += "no sound task has ended\n";
  } else {
    text += right_table(figures) + coder_table(figures) + others_lines(figures.groups.front());
    std::set<std::string> baselines;
    for (const auto& [baseline, over] : figures.groups.front().over) {
      baselines.insert(baseline);
    }
    for (const std::string& baseline : baselines) {
      text += measured_table(figures, baseline);
    }
    text += floor_table(figures, "measured") + modelled_table(figures) + floor_table(figures, "modelled");
  }
  text += aside_lines(figures);
  if (figures.world > 0) {
    text += fmt::format("\n{} samples failed for reasons outside of them, and are in no figure: go on with --resume\n",
                        figures.world);
  }
  return figures.groups.empty() ? text : text + spent_line(figures.groups.front());
}

}  // namespace stitch::bench

// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/published.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/json/json.h"

namespace stitch::bench {
namespace {

constexpr const char* kArithmeticMean = "arithmetic, failures 0";

// Of ours: the group whose tasks are most like theirs; null where none of those levels was run.
const GroupFigures* group_beside(const PublishedFigure& theirs, const Figures& figures) {
  const auto named = [&](const std::string& name) -> const GroupFigures* {
    const auto found = std::find_if(figures.groups.begin(), figures.groups.end(),
                                    [&](const GroupFigures& group) { return group.name == name; });
    return found == figures.groups.end() ? nullptr : &*found;
  };
  if (theirs.levels.size() == 1) {
    return named(fmt::format("level {}", theirs.levels.front()));
  }
  const bool has_all = std::all_of(theirs.levels.begin(), theirs.levels.end(),
                                   [&](int64_t level) { return named(fmt::format("level {}", level)) != nullptr; });
  return has_all ? named("all") : nullptr;
}

std::string condition(const std::map<std::string, std::string>& conditions, const char* name) {
  const auto found = conditions.find(name);
  return found == conditions.end() ? "" : found->second;
}

void differ(std::vector<std::string>& differences, const char* what, const std::string& theirs,
            const std::string& ours) {
  if (theirs != ours) {
    differences.push_back(fmt::format("{}: theirs {}, ours {}", what, theirs.empty() ? "not said" : theirs,
                                      ours.empty() ? "none" : ours));
  }
}

std::string ours_in_words(const PublishedFigure& theirs, const GroupFigures& group) {
  std::string text = fmt::format("{} tasks, {} right", group.tasks, describe_percent(group.success));
  const auto over = group.over.find(theirs.baseline);
  if (over == group.over.end() || over->second.timed == 0) {
    return text + ", no measured time";
  }
  const auto& mean = theirs.mean == kArithmeticMean ? over->second.arithmetic : over->second.geometric;
  text += mean.has_value() ? ", " + describe(*mean) + " times as fast" : "";
  return text + fmt::format(", {} faster", describe_percent(over->second.fast_1));
}

BesidePublished beside_one(const PublishedFigure& theirs, const GroupFigures& group,
                           const std::map<std::string, std::string>& conditions) {
  BesidePublished beside{theirs, group.name, ours_in_words(theirs, group), {}};
  const auto over = group.over.find(theirs.baseline);
  const bool is_timed = over != group.over.end() && over->second.timed > 0;
  differ(beside.differences, "hardware", theirs.hardware, condition(conditions, "device"));
  differ(beside.differences, "baseline", theirs.baseline, is_timed ? theirs.baseline : "none timed");
  differ(beside.differences, "arithmetic", theirs.math, condition(conditions, "math"));
  if (condition(conditions, "scale") == "small") {
    beside.differences.emplace_back("sizes: theirs the tasks' own, ours reduced");
  }
  beside.differences.push_back(
      fmt::format("tolerance: theirs {}, ours 4 times the reference's own error",
                  theirs.tolerance.has_value() ? fmt::format("{:g}", *theirs.tolerance) : "not said"));
  if (theirs.mean != kArithmeticMean && theirs.mean != "geometric, correct") {
    beside.differences.push_back(fmt::format("mean: theirs {}, ours geometric over correct answers",
                                             theirs.mean.empty() ? "not said" : theirs.mean));
  }
  if (theirs.tasks != std::optional<int64_t>(group.tasks)) {
    beside.differences.push_back(fmt::format("tasks: theirs {}, ours {} sound ones",
                                             theirs.tasks.has_value() ? std::to_string(*theirs.tasks) : "not said",
                                             group.tasks));
  }
  return beside;
}

std::string theirs_in_words(const PublishedFigure& theirs) {
  std::string text = theirs.system;
  if (!theirs.correct_percent.empty()) {
    const auto [least, most] = std::minmax_element(theirs.correct_percent.begin(), theirs.correct_percent.end());
    text +=
        *least == *most ? fmt::format(", {:g} % right", *most) : fmt::format(", {:g} to {:g} % right", *least, *most);
  }
  text +=
      theirs.speedup.has_value() ? fmt::format(", {:.2f} times as fast as {}", *theirs.speedup, theirs.baseline) : "";
  text += theirs.fast_1_percent.has_value() ? fmt::format(", {:g} % faster", *theirs.fast_1_percent) : "";
  return text + fmt::format(" ({}, {})", theirs.hardware.empty() ? "hardware not said" : theirs.hardware,
                            theirs.mean.empty() ? "mean not said" : theirs.mean + " mean");
}

}  // namespace

std::vector<BesidePublished> beside_published(const std::vector<PublishedFigure>& published, const std::string& suite,
                                              const Figures& figures,
                                              const std::map<std::string, std::string>& conditions) {
  std::vector<BesidePublished> found;
  for (const PublishedFigure& theirs : published) {
    const GroupFigures* group = theirs.suite == suite ? group_beside(theirs, figures) : nullptr;
    if (group != nullptr) {
      found.push_back(beside_one(theirs, *group, conditions));
    }
  }
  return found;
}

Json to_json(const std::vector<BesidePublished>& beside) {
  Json rows = Json::array();
  for (const BesidePublished& each : beside) {
    rows.push_back({{"system", each.theirs.system},
                    {"source", each.theirs.source},
                    {"theirs", theirs_in_words(each.theirs)},
                    {"group", each.group},
                    {"ours", each.ours},
                    {"differences", each.differences},
                    {"note", each.theirs.note}});
  }
  return rows;
}

std::string describe(const std::vector<BesidePublished>& beside) {
  std::string text;
  for (const BesidePublished& each : beside) {
    text += fmt::format("{}: {}\n  ours: {}\n  what differs: {}\n", each.group, theirs_in_words(each.theirs), each.ours,
                        fmt::join(each.differences, "; "));
  }
  return text;
}

}  // namespace stitch::bench

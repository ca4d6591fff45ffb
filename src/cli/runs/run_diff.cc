// SPDX-License-Identifier: Apache-2.0
#include "cli/runs/run_diff.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "base/json/json.h"
#include "cli/output/columns.h"
#include "cli/runs/words.h"

namespace stitch::cli {
namespace {

using runs::ProgramRecord;
using runs::RunRecord;
using runs::StepRecord;
using Properties = std::vector<std::pair<std::string, std::string>>;  // in the order in which they are shown

Properties properties(const RunRecord& record) {
  Properties found = {{"verb", record.verb},
                      {"program", record.file},
                      {"math", record.math},
                      {"device", record.device},
                      {"state", runs::to_string(record.state)},
                      {"verdict", record.verdict},
                      {"error", record.error}};
  for (const auto& [name, value] : record.options) {
    found.emplace_back("option " + name, value);
  }
  found.emplace_back("operators", record.operators.has_value() ? fmt::format("{}", *record.operators) : "");
  found.emplace_back("steps", record.steps.has_value() ? fmt::format("{}", *record.steps) : "");
  const auto time = [](const std::optional<double>& us) {
    return us.has_value() ? fmt::format("{:.1f} us", *us) : std::string();
  };
  found.emplace_back("modelled", time(record.modelled_us));
  found.emplace_back("measured", time(record.measured_us));
  return found;
}

// A step in one line; steps are matched by name, since numbers shift when one is added.
std::string step_line(const StepRecord& step) {
  return fmt::format("{}{}{} of {}, {:.1f} us{}", step.skeleton, step.variant.empty() ? "" : " " + step.variant,
                     step.splits > 1 ? fmt::format(" in {} splits", step.splits) : "", fmt::join(step.nodes, " "),
                     step.us, step.is_measured ? "" : " modelled");
}

Properties steps(const ProgramRecord& program) {
  Properties found;
  std::map<std::string, int> seen;
  for (const StepRecord& step : program.steps) {
    const int before = seen[step.name]++;
    found.emplace_back("step " + step.name + (before > 0 ? fmt::format(" ({})", before + 1) : ""), step_line(step));
  }
  return found;
}

Properties sources(const ProgramRecord& program) {
  Properties found;
  for (const auto& [path, digest] : program.sources) {
    found.emplace_back("source " + path, digest.substr(0, 12));
  }
  return found;
}

void compare(const Properties& first, const Properties& second, std::vector<RunDifference>* found) {
  std::map<std::string, std::string> before(first.begin(), first.end());
  const std::map<std::string, std::string> after(second.begin(), second.end());
  std::set<std::string> seen;
  for (const Properties* side : {&first, &second}) {
    for (const auto& [what, value] : *side) {
      const auto there = after.find(what);
      const std::string now = there == after.end() ? "" : there->second;
      if (seen.insert(what).second && before[what] != now) {
        found->push_back({what, before[what], now});
      }
    }
  }
}

}  // namespace

std::vector<RunDifference> differences(const RunRecord& first, const ProgramRecord& first_program,
                                       const RunRecord& second, const ProgramRecord& second_program) {
  std::vector<RunDifference> found;
  compare(properties(first), properties(second), &found);
  compare(steps(first_program), steps(second_program), &found);
  compare(sources(first_program), sources(second_program), &found);
  return found;
}

std::string diff_text(const RunRecord& first, const RunRecord& second, const std::vector<RunDifference>& differences) {
  const std::string pair = fmt::format("{} -> {}", first.id, second.id);
  if (differences.empty()) {
    return pair + "\nnothing differs but when they ran";
  }
  std::string text = pair;
  for (const RunDifference& difference : differences) {
    text += "\n" + difference.what;
    text += difference.before.empty() ? "" : "\n  - " + difference.before;
    text += difference.after.empty() ? "" : "\n  + " + difference.after;
  }
  return text;
}

Json to_json(const std::vector<RunDifference>& differences) {
  Json rows = Json::array();
  for (const RunDifference& difference : differences) {
    rows.push_back({{"what", difference.what},
                    {"before", difference.before.empty() ? Json() : Json(difference.before)},
                    {"after", difference.after.empty() ? Json() : Json(difference.after)}});
  }
  return rows;
}

}  // namespace stitch::cli

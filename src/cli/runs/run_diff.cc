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

using runs::RunRecord;
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
std::string step_line(const Json& step) {
  const Json setting = step.value("setting", Json::object());
  const Json nodes = step.value("nodes", Json::array());
  std::vector<std::string> names;
  for (const Json& node : nodes) {
    names.push_back(node.is_string() ? node.get<std::string>() : "?");
  }
  const std::string variant = setting.is_object() ? setting.value("variant", "") : "";
  const int splits = setting.is_object() ? setting.value("splits", 1) : 1;
  const Json measured = step.value("measured_us", Json());
  const double us = measured.is_number() ? measured.get<double>() : step.value("modelled_us", 0.0);
  return fmt::format("{}{}{} of {}, {:.1f} us{}", step.value("skeleton", "?"), variant.empty() ? "" : " " + variant,
                     splits > 1 ? fmt::format(" in {} splits", splits) : "", fmt::join(names, " "), us,
                     measured.is_number() ? "" : " modelled");
}

Properties steps(const Json& program) {
  Properties found;
  std::map<std::string, int> seen;
  if (program.is_object() && program.contains("steps") && program["steps"].is_array()) {
    for (const Json& step : program["steps"]) {
      const std::string name = step.value("name", "?");
      const int before = seen[name]++;
      found.emplace_back("step " + name + (before > 0 ? fmt::format(" ({})", before + 1) : ""), step_line(step));
    }
  }
  return found;
}

Properties sources(const Json& program) {
  Properties found;
  if (program.is_object() && program.contains("sources") && program["sources"].is_object()) {
    for (const auto& [path, digest] : program["sources"].items()) {
      found.emplace_back("source " + path, digest.is_string() ? digest.get<std::string>().substr(0, 12) : "?");
    }
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

std::vector<RunDifference> differences(const RunRecord& first, const Json& first_program, const RunRecord& second,
                                       const Json& second_program) {
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

// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/finding.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/json.h"
#include "cli/output/columns.h"

namespace stitch::cli::doctor {
namespace {

constexpr size_t kMaxWidth = 110;

std::string mark(State state, const Terminal& terminal) {
  const std::string word = padded(to_string(state), 7);
  switch (state) {
    case State::kHere:
      return terminal.green(word);
    case State::kWarning:
    case State::kAbsent:
      return terminal.yellow(word);
    case State::kMissing:
      break;
  }
  return terminal.red(word);
}

}  // namespace

const char* to_string(State state) {
  switch (state) {
    case State::kHere:
      return "ok";
    case State::kWarning:
      return "warning";
    case State::kAbsent:
      return "absent";
    case State::kMissing:
      break;
  }
  return "missing";
}

bool is_able(const std::vector<Finding>& findings) {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.state == State::kMissing; });
}

Json to_json(const std::vector<Finding>& findings) {
  const auto nullable = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  Json rows = Json::array();
  for (const Finding& finding : findings) {
    rows.push_back({{"group", finding.group},
                    {"name", finding.name},
                    {"state", to_string(finding.state)},
                    {"what", finding.what},
                    {"cost", nullable(finding.cost)},
                    {"mend", nullable(finding.mend)}});
  }
  return rows;
}

std::string as_text(const std::vector<Finding>& findings, const Terminal& terminal) {
  const size_t width = std::min<size_t>(kMaxWidth, static_cast<size_t>(std::max(terminal.columns, 40)));
  size_t longest = 0;
  for (const Finding& finding : findings) {
    longest = std::max(longest, visible_width(finding.name));
  }
  const size_t indent = 2 + 7 + 2 + longest + 2;
  std::string text;
  std::string group;
  for (const Finding& finding : findings) {
    if (finding.group != group) {
      group = finding.group;
      text += (text.empty() ? "" : "\n") + terminal.bold(group) + "\n";
    }
    text += fmt::format("  {}  {}  {}\n", mark(finding.state, terminal), padded(finding.name, longest),
                        hanging(finding.what, indent, width));
    const std::string margin(indent, ' ');
    text += finding.cost.empty() ? "" : margin + hanging(finding.cost, indent, width) + "\n";
    if (finding.mend.ends_with('.')) {  // a sentence, where no command is known
      text += margin + hanging(finding.mend, indent, width) + "\n";
    } else if (!finding.mend.empty()) {
      text += margin + terminal.bold("$ " + finding.mend) + "\n";
    }
  }
  return text;
}

}  // namespace stitch::cli::doctor

// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/process/child.h"

namespace stitch::cli::doctor {

Answer ask(const std::vector<std::string>& command, int64_t timeout_ms) {
  ChildOptions options;
  options.arguments = command;
  const Result<ChildOutput> ran = run_child(options, timeout_ms);
  if (!ran.has_value()) {
    return {false, false, false, "", ran.error().message};
  }
  return {true, ran->exit.timed_out, ran->exit.ok(), ran->standard_output, ran->standard_error};
}

std::string Answer::trouble(int64_t timeout_ms) const {
  if (timed_out) {
    return fmt::format("did not answer within {:g} s", static_cast<double>(timeout_ms) / 1000);
  }
  const std::string said = last_line(errors.empty() ? output : errors);
  return said.empty() ? "ended without a word" : said;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) {
      line.pop_back();
    }
    if (!line.empty()) {
      lines.push_back(line);
    }
  }
  return lines;
}

std::string first_line(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  return lines.empty() ? "" : lines.front();
}

std::string last_line(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  return lines.empty() ? "" : lines.back();
}

std::string word_after(const std::string& text, const std::string& mark) {
  const size_t found = text.find(mark);
  if (found == std::string::npos) {
    return {};
  }
  const size_t begin = found + mark.size();
  return text.substr(begin, std::min(text.find_first_of(" ,\n\r", begin), text.size()) - begin);
}

}  // namespace stitch::cli::doctor

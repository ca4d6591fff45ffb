// SPDX-License-Identifier: Apache-2.0
#include "report/training/step_lines.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace stitch::report {
namespace {

template <typename Use>
void for_each_line(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) {
      use(Json::parse(text.substr(0, end), nullptr, false));
    }
    text.remove_prefix(std::min(text.size(), end + 1));
  }
}

const Json* value_in(const Json& line, std::string_view path) {
  const Json* at = &line;
  while (true) {
    const size_t dot = path.find('.');
    const auto found = at->is_object() ? at->find(std::string(path.substr(0, dot))) : at->end();
    if (!at->is_object() || found == at->end()) {
      return nullptr;
    }
    at = &*found;
    if (dot == path.npos) {
      return at;
    }
    path.remove_prefix(dot + 1);
  }
}

}  // namespace

std::optional<double> number_in(const Json& line, std::string_view path) {
  const Json* found = value_in(line, path);
  if (found == nullptr || !found->is_number() || !std::isfinite(found->get<double>())) {
    return std::nullopt;
  }
  return found->get<double>();
}

const Json* object_in(const Json& line, std::string_view path) {
  const Json* found = value_in(line, path);
  return found != nullptr && found->is_object() ? found : nullptr;
}

StepLines read_step_lines(std::string_view text) {
  StepLines lines;
  for_each_line(text, [&](Json line) {
    const std::optional<double> step = number_in(line, "step");
    if (step.has_value() && *step > 0) {
      lines.steps.push_back(std::move(line));
    } else if (step.has_value() && *step >= 0) {
      lines.begin = std::move(line);
    } else {
      ++lines.unreadable;
    }
  });
  return lines;
}

std::vector<Json> objects_of_lines(std::string_view text) {
  std::vector<Json> objects;
  for_each_line(text, [&](Json line) {
    if (line.is_object()) {
      objects.push_back(std::move(line));
    }
  });
  return objects;
}

}  // namespace stitch::report

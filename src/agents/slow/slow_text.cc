// SPDX-License-Identifier: Apache-2.0
#include "agents/slow/slow_text.h"

#include <string_view>
#include <vector>

#include "agents/slow/naive_kernels.h"

namespace stitch::agents {
namespace {

constexpr std::string_view kReturn = "return stitch::launch_";
constexpr std::string_view kNamespaceEnds = "}  // namespace";
constexpr std::string_view kVectorised = "const bool vectorised =";

// A statement "return stitch::NAME<TEMPLATES>(ARGUMENTS);" of a text.
struct Launch {
  size_t begin = 0;  // of its line
  size_t end = 0;    // behind the line
  std::string name{};
  std::vector<std::string> templates{};
  std::vector<std::string> arguments{};
};

std::string without_breaks(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n';
    if (!is_space || (!line.empty() && line.back() != ' ' && line.back() != '(' && line.back() != '<')) {
      line += is_space ? ' ' : c;
    }
  }
  return line;
}

// Parts between commas that stand in no bracket. `text` begins behind the opening bracket; `end` is where it closes.
std::vector<std::string> parts_of(std::string_view text, char closes, size_t& end) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (end = 0; end < text.size(); ++end) {
    const char c = text[end];
    if (depth == 0 && c == closes) {
      return parts;
    }
    depth += c == '(' || c == '<' || c == '{' ? 1 : c == ')' || c == '>' || c == '}' ? -1 : 0;
    if (depth == 0 && c == ',') {
      parts.emplace_back();
    } else if (c != ' ' || !parts.back().empty()) {
      parts.back() += c;
    }
  }
  return parts;
}

std::optional<Launch> launch_from(const std::string& text, size_t at) {
  const size_t ends = text.find(";\n", at);
  if (ends == text.npos) {
    return std::nullopt;
  }
  Launch launch{.begin = text.rfind('\n', at) + 1, .end = ends + 2};
  const std::string line = without_breaks(std::string_view(text).substr(at, ends - at));
  std::string_view rest = std::string_view(line).substr(std::string_view("return stitch::").size());
  const size_t opens = rest.find_first_of("<(");
  if (opens == rest.npos) {
    return std::nullopt;
  }
  launch.name = rest.substr(0, opens);
  size_t closes = 0;
  if (rest[opens] == '<') {
    launch.templates = parts_of(rest.substr(opens + 1), '>', closes);
    rest.remove_prefix(std::min(rest.size(), opens + closes + 2));
  } else {
    rest.remove_prefix(opens);
  }
  if (!rest.starts_with('(')) {
    return std::nullopt;
  }
  launch.arguments = parts_of(rest.substr(1), ')', closes);
  return launch;
}

std::string filled(std::string_view statements, const Launch& launch) {
  std::string text;
  for (size_t i = 0; i < statements.size(); ++i) {
    if (statements[i] != '$') {
      text += statements[i];
      continue;
    }
    const auto number = static_cast<size_t>(statements[++i] - '0');
    text += number == 0 ? launch.templates.front() : launch.arguments.at(number - 1);
  }
  return text;
}

bool is_known(const NaiveKernel* kernel, const Launch& launch) {
  return kernel != nullptr && launch.arguments.size() == kernel->arguments && !launch.templates.empty() &&
         launch.arguments.back() == "stream";
}

std::optional<std::string> with_naive_kernel(const std::string& text) {
  for (size_t at = text.find(kReturn); at != text.npos; at = text.find(kReturn, at + 1)) {
    const std::optional<Launch> launch = launch_from(text, at);
    if (!launch.has_value()) {
      continue;
    }
    const NaiveKernel* kernel = naive_kernel_for(launch->name);
    const size_t place = text.rfind(kNamespaceEnds, at);
    if (!is_known(kernel, *launch) || place == text.npos) {
      continue;
    }
    return text.substr(0, place) + std::string(kernel->kernel) + "\n" + text.substr(place, launch->begin - place) +
           filled(kernel->statements, *launch) + text.substr(launch->end);
  }
  return std::nullopt;
}

std::optional<std::string> with_scalar_access(const std::string& text) {
  const size_t at = text.find(kVectorised);
  const size_t end = at == text.npos ? at : text.find(';', at);
  if (end == text.npos) {
    return std::nullopt;
  }
  return text.substr(0, at) + std::string(kVectorised) + " false" + text.substr(end);
}

}  // namespace

std::optional<std::string> slow_text(const std::string& text, Slowness how) {
  return how == Slowness::kNaiveKernel ? with_naive_kernel(text) : with_scalar_access(text);
}

}  // namespace stitch::agents

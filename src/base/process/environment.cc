// SPDX-License-Identifier: Apache-2.0
#include "base/process/environment.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/process/child.h"

namespace stitch {

bool names_secret(std::string_view variable) {
  constexpr std::array<std::string_view, 4> kEnds = {"KEY", "TOKEN", "SECRET", "PASSWORD"};
  std::string name(variable);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return 'a' <= c && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) { return name.ends_with(end); });
}

std::vector<std::string> names_of_environment(const std::vector<std::string>& hidden) {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string name(text.substr(0, text.find('=')));
    if (std::find(hidden.begin(), hidden.end(), name) == hidden.end()) {
      names.push_back(name);
    }
  }
  return names;
}

std::vector<std::string> environment_of(const ChildOptions& options) {
  std::vector<std::string> found;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    const bool replaced = std::any_of(options.environment.begin(), options.environment.end(),
                                      [&](const auto& pair) { return pair.first == name; });
    const auto& kept = options.kept_environment;
    const bool handed_on =
        kept.has_value() ? std::find(kept->begin(), kept->end(), name) != kept->end() : !names_secret(name);
    if (!replaced && handed_on) {
      found.push_back(text);
    }
  }
  for (const auto& [name, value] : options.environment) {
    found.push_back(name + "=" + value);
  }
  return found;
}

void leave_no_core_with_secrets() {
  const std::vector<std::string> names = names_of_environment();
  rlimit limit{};
  if (std::any_of(names.begin(), names.end(), names_secret) && ::getrlimit(RLIMIT_CORE, &limit) == 0) {
    limit.rlim_cur = 0;
    ::setrlimit(RLIMIT_CORE, &limit);
  }
}

}  // namespace stitch

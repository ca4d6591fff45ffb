// SPDX-License-Identifier: Apache-2.0
#include "base/machine/available_memory.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/fs/files.h"

namespace stitch {
namespace {

// The number at the start of `text`, behind blanks.
std::optional<uint64_t> number_at_start(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

// "max" is no limit.
std::optional<uint64_t> limit_of_group() {
  const Result<std::string> group = read_file("/proc/self/cgroup");  // "0::/user.slice/x"
  const size_t start = group.has_value() ? group->find("0::/") : std::string::npos;
  if (start == std::string::npos) {
    return std::nullopt;
  }
  const std::string own = group->substr(start + 3, group->find('\n', start) - start - 3);
  const Result<std::string> limit = read_file("/sys/fs/cgroup" + own + "/memory.max");
  return limit.has_value() ? number_at_start(*limit) : std::nullopt;
}

}  // namespace

std::optional<uint64_t> available_of_meminfo(std::string_view text) {
  constexpr std::string_view kName = "MemAvailable:";
  constexpr uint64_t kUnit = 1024;
  const size_t at = text.find(kName);
  const auto number = at == std::string_view::npos ? std::nullopt : number_at_start(text.substr(at + kName.size()));
  return number.has_value() && *number < UINT64_MAX / kUnit ? std::optional(*number * kUnit) : std::nullopt;
}

uint64_t available_memory_bytes() {
  const Result<std::string> text = read_file("/proc/meminfo");
  const auto of_machine = text.has_value() ? available_of_meminfo(*text) : std::nullopt;
  return std::min(of_machine.value_or(UINT64_MAX), limit_of_group().value_or(UINT64_MAX));
}

}  // namespace stitch

// SPDX-License-Identifier: Apache-2.0
#include "evaluate/timing/sharing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace stitch::evaluate {
namespace {

std::string_view first_line(std::string_view text) {
  const size_t end = text.find('\n');
  std::string_view line = end == std::string_view::npos ? text : text.substr(0, end);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) {
    line.remove_suffix(1);
  }
  return line;
}

// A line is "1234, /usr/bin/python3".
bool is_one_of(std::string_view line, const std::vector<pid_t>& own) {
  pid_t pid = 0;
  const std::string_view number = line.substr(0, line.find(','));
  std::from_chars(number.data(), number.data() + number.size(), pid);
  return std::find(own.begin(), own.end(), pid) != own.end();
}

}  // namespace

std::string sharing_refusal(std::string_view mig_mode, std::string_view processes, const std::vector<pid_t>& own) {
  if (first_line(mig_mode) == "Enabled") {
    return "the GPU is cut into MIG slices, which share its memory";
  }
  if (processes.find("nvidia-cuda-mps-server") != std::string_view::npos) {
    return "the GPU is shared by MPS";
  }
  while (!processes.empty()) {
    const std::string_view line = first_line(processes);
    if (line.find(',') != std::string_view::npos && !is_one_of(line, own)) {
      return fmt::format("another process is on the GPU: {}", line);
    }
    const size_t end = processes.find('\n');
    processes = end == std::string_view::npos ? std::string_view() : processes.substr(end + 1);
  }
  return {};
}

}  // namespace stitch::evaluate

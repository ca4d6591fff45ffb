// SPDX-License-Identifier: Apache-2.0
#include "evaluate/timing/sharing.h"

#include <fmt/format.h>

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

}  // namespace

std::string sharing_refusal(std::string_view mig_mode, std::string_view processes) {
  if (first_line(mig_mode) == "Enabled") {
    return "the GPU is cut into MIG slices, which share its memory";
  }
  if (processes.find("nvidia-cuda-mps-server") != std::string_view::npos) {
    return "the GPU is shared by MPS";
  }
  if (const std::string_view first = first_line(processes);
      !first.empty() && first.find(',') != std::string_view::npos) {
    return fmt::format("another process is on the GPU: {}", first);
  }
  return {};
}

}  // namespace stitch::evaluate

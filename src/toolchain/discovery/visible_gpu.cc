// SPDX-License-Identifier: Apache-2.0
#include "toolchain/discovery/visible_gpu.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/process/child.h"

namespace stitch::toolchain {
namespace {

constexpr int64_t kProbeTimeoutMs = 30'000;

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

// What comes before the separator, which is taken off `text` with it.
std::string_view next_piece(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view piece = trimmed(text.substr(0, end));
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return piece;
}

// What nvidia-smi answers, or nothing.
std::string ask(const std::vector<std::string>& options) {
  ChildOptions child;
  child.arguments = {"nvidia-smi"};
  child.arguments.insert(child.arguments.end(), options.begin(), options.end());
  const Result<ChildOutput> ran = run_child(child, kProbeTimeoutMs);
  return ran.has_value() && ran->exit.ok() ? std::string(trimmed(ran->standard_output)) : std::string();
}

Unexpected none_here() {
  return failure(ErrorCode::kEnvironment, "no NVIDIA GPU was found here", "nvidia-smi",
                 "use --device emulated, or run 'stitchcuda doctor'");
}

std::optional<std::string_view> visible_here() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible == nullptr ? std::nullopt : std::optional<std::string_view>(visible);
}

std::string find_uuid() {
  return visible_gpu(ask({std::string("--query-gpu=") + kGpuListQuery, "--format=csv,noheader"}), visible_here());
}

}  // namespace

void count_gpus_by_bus() { ::setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0); }

bool is_slice(std::string_view visible) { return trimmed(visible).starts_with("MIG-"); }

std::string visible_gpu(std::string_view listed, std::optional<std::string_view> visible) {
  const std::string_view wanted = visible.has_value() ? trimmed(visible->substr(0, visible->find(','))) : "0";
  while (!wanted.empty() && !listed.empty()) {
    std::string_view line = next_piece(listed, '\n');
    const std::string_view index = next_piece(line, ',');
    const std::string_view uuid = trimmed(line);
    const bool is_gpu = uuid.starts_with("GPU-");  // nvidia-smi says in a sentence that there is none
    if (is_gpu && (index == wanted || is_slice(wanted) || (wanted.starts_with("GPU-") && uuid.starts_with(wanted)))) {
      return std::string(uuid);
    }
  }
  return {};
}

Result<std::string> gpu_uuid() {
  static const std::string uuid = find_uuid();
  if (uuid.empty()) {
    return none_here();
  }
  return uuid;
}

bool gpu_is_slice() { return visible_here().has_value() && is_slice(*visible_here()); }

std::string ask_gpu(const std::string& option) {
  const Result<std::string> uuid = gpu_uuid();
  return uuid.has_value() ? ask({option, "--format=csv,noheader,nounits", "--id=" + *uuid}) : std::string();
}

Result<std::string> gpu_field(const std::string& field) {
  std::string found = ask_gpu("--query-gpu=" + field);
  if (found.empty()) {
    return none_here();
  }
  return found;
}

Result<std::string> gpu_architecture() {
  STITCH_ASSIGN(std::string number, gpu_field("compute_cap"));
  std::erase(number, '.');
  // Only from Hopper on are there instructions that belong to one architecture alone ("a").
  return fmt::format("sm_{}{}", number, number == "90" || number == "100" || number == "120" ? "a" : "");
}

}  // namespace stitch::toolchain

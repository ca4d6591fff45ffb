// SPDX-License-Identifier: Apache-2.0
#include "sandbox/limits/limits.h"

namespace stitch::sandbox {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

}  // namespace

Limits compiler_limits() {
  const auto address_space = kAddressSpaceCanBeLimited ? std::optional(24 * 1024 * kMiB) : std::nullopt;
  return {.address_space_bytes = address_space, .cpu_seconds = 900, .file_bytes = 1024 * kMiB};
}

Limits worker_limits(std::optional<uint64_t> memory_bytes) {
  // Shared buffers are mapped, not written, so a worker has no honest reason to write long files.
  return {.address_space_bytes = memory_bytes, .cpu_seconds = std::nullopt, .file_bytes = 64 * kMiB};
}

ChildOptions confine(ChildOptions options, const Limits& limits) {
  options.address_space_bytes = limits.address_space_bytes;
  options.cpu_seconds = limits.cpu_seconds;
  options.file_bytes = limits.file_bytes;
  options.kept_environment = {"PATH",
                              "HOME",
                              "TMPDIR",
                              "LANG",
                              "LC_ALL",
                              "CUDA_HOME",
                              "LD_LIBRARY_PATH",
                              "CUDA_VISIBLE_DEVICES",
                              "CUDA_PATH",
                              "TZ",
                              "NVIDIA_VISIBLE_DEVICES",
                              "CUDA_DEVICE_ORDER"};
  return options;
}

}  // namespace stitch::sandbox

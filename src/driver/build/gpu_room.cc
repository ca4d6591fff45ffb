// SPDX-License-Identifier: Apache-2.0
#include "driver/build/gpu_room.h"

#include <fmt/format.h>

#include <cstdlib>

#include "toolchain/discovery/visible_gpu.h"

namespace stitch::driver {
namespace {

constexpr uint64_t kTimesTensors = 4;
constexpr uint64_t kForProcesses = 4'000'000'000;
constexpr double kGigabyte = 1e9;

std::string in_gigabytes(uint64_t bytes) { return fmt::format("{:.1f} GB", static_cast<double>(bytes) / kGigabyte); }

// 0 where it does not say.
uint64_t gpu_bytes() {
  constexpr int kDecimal = 10;
  const Result<std::string> mebibytes = toolchain::gpu_field("memory.total");
  return mebibytes.has_value() ? std::strtoull(mebibytes->c_str(), nullptr, kDecimal) << 20 : 0;
}

Result<std::optional<evaluate::GpuShare>> take(Job& job, const toolchain::Toolchain& tools, uint64_t bytes,
                                               uint64_t total) {
  const Result<std::string> gpu = toolchain::gpu_uuid();
  if (!gpu.has_value() || total == 0) {
    return std::optional<evaluate::GpuShare>{};
  }
  const auto waiting = [&](uint64_t taken) {
    job.progress().fact(
        "gpu", fmt::format("waits for {} of the GPU's {}: others take {}", in_gigabytes(bytes), in_gigabytes(total),
                           in_gigabytes(taken)));
  };
  STITCH_ASSIGN(evaluate::GpuShare share,
                evaluate::GpuShare::take(tools.cache / fmt::format("gpu-{}.memory", *gpu), bytes, total, waiting));
  return std::optional(std::move(share));
}

}  // namespace

uint64_t gpu_bytes_of_verdict(const ir::Graph& graph) {
  uint64_t bytes = 0;
  for (const ir::GraphInput& input : graph.inputs) {
    bytes += static_cast<uint64_t>(graph.type(input.value).bytes());
  }
  for (const ir::GraphOutput& output : graph.outputs) {
    bytes += static_cast<uint64_t>(graph.type(output.value).bytes());
  }
  return kTimesTensors * bytes + kForProcesses;
}

Result<void> check_room_for_verdict(const ir::Graph& graph) {
  const uint64_t bytes = gpu_bytes_of_verdict(graph);
  const uint64_t total = gpu_bytes();
  if (total > 0 && bytes > total) {
    return failure(ErrorCode::kEnvironment,
                   fmt::format("a verdict on this program takes up to {} of GPU memory, and the GPU has {}",
                               in_gigabytes(bytes), in_gigabytes(total)),
                   "", "use smaller sizes (--scale small) or a GPU with more memory");
  }
  return {};
}

Result<std::optional<evaluate::GpuShare>> take_room_for_verdict(Job& job, const toolchain::Toolchain& tools,
                                                                const ir::Graph& graph) {
  return take(job, tools, gpu_bytes_of_verdict(graph), gpu_bytes());
}

Result<std::optional<evaluate::GpuShare>> take_whole_gpu(Job& job, const toolchain::Toolchain& tools) {
  const uint64_t total = gpu_bytes();
  return take(job, tools, total, total);
}

}  // namespace stitch::driver

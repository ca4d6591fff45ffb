// SPDX-License-Identifier: Apache-2.0
#include "driver/build/gpu_room.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "toolchain/discovery/visible_gpu.h"

namespace stitch::driver {
namespace {

// Of what a call reads and writes. Nine programs took 4.3 to 6.8 times that beside what is for processes, a small one
// less (bench/results/verdict-cost-h200.md).
constexpr uint64_t kMinTimes = 4;
constexpr uint64_t kMaxTimes = 7;
constexpr uint64_t kForProcesses = 4'000'000'000;
constexpr double kGigabyte = 1e9;

std::string in_gigabytes(uint64_t bytes) { return fmt::format("{:.1f} GB", static_cast<double>(bytes) / kGigabyte); }

uint64_t bytes_of_call(const ir::Graph& graph) {
  uint64_t bytes = 0;
  for (const ir::GraphInput& input : graph.inputs) {
    bytes += static_cast<uint64_t>(graph.type(input.value).bytes());
  }
  for (const ir::GraphOutput& output : graph.outputs) {
    bytes += static_cast<uint64_t>(graph.type(output.value).bytes());
  }
  return bytes;
}

Result<std::optional<evaluate::GpuShare>> take(Job& job, const toolchain::Toolchain& tools, const GpuMemory& memory,
                                               uint64_t bytes) {
  if (memory.gpu.empty() || memory.bytes == 0) {
    return std::optional<evaluate::GpuShare>{};
  }
  const auto waiting = [&](uint64_t taken) {
    job.progress().fact(
        "gpu", fmt::format("waits for {} of the GPU's {}: others take {}", in_gigabytes(bytes),
                           in_gigabytes(memory.bytes), in_gigabytes(taken)));
  };
  STITCH_ASSIGN(evaluate::GpuShare share,
                evaluate::GpuShare::take(tools.cache / fmt::format("gpu-{}.memory", memory.gpu), bytes, memory.bytes,
                                         waiting));
  return std::optional(std::move(share));
}

}  // namespace

GpuMemory memory_of_gpu() {
  constexpr int kDecimal = 10;
  const Result<std::string> gpu = toolchain::gpu_uuid();
  const Result<std::string> mebibytes = toolchain::gpu_field("memory.total");
  return {gpu.has_value() ? *gpu : "",
          mebibytes.has_value() ? std::strtoull(mebibytes->c_str(), nullptr, kDecimal) << 20 : 0};
}

Result<void> check_room_for_verdict(const GpuMemory& memory, const ir::Graph& graph) {
  const uint64_t bytes = kMinTimes * bytes_of_call(graph) + kForProcesses;
  if (memory.bytes > 0 && bytes > memory.bytes) {
    return failure(ErrorCode::kEnvironment,
                   fmt::format("a verdict on this program takes {} of GPU memory at least, and the GPU has {}",
                               in_gigabytes(bytes), in_gigabytes(memory.bytes)),
                   "", "use smaller sizes (--scale small) or a GPU with more memory");
  }
  return {};
}

Result<std::optional<evaluate::GpuShare>> take_room_for_verdict(Job& job, const toolchain::Toolchain& tools,
                                                                const GpuMemory& memory, const ir::Graph& graph) {
  return take(job, tools, memory, std::min(memory.bytes, kMaxTimes * bytes_of_call(graph) + kForProcesses));
}

Result<std::optional<evaluate::GpuShare>> take_whole_gpu(Job& job, const toolchain::Toolchain& tools,
                                                         const GpuMemory& memory) {
  return take(job, tools, memory, memory.bytes);
}

}  // namespace stitch::driver

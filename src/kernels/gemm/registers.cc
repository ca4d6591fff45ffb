// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/gemm/planes.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

// RegisterTile of the skeleton: tiles of 64 rows, and columns.
struct RegisterTile {
  int64_t row_tiles;
  int64_t columns;
  double slice_us;  // measured on an H200, of a block alone (bench/kernels/small_gemm_bench.cu)
  int64_t rows() const { return 64 * row_tiles; }
};

constexpr std::array kRegisterTiles = {
    NamedSetting<RegisterTile>{"tf32x3_wgmma_128x64", {2, 64, 0.85}},
    NamedSetting<RegisterTile>{"tf32x3_wgmma_64x128", {1, 128, 0.76}},
    NamedSetting<RegisterTile>{"tf32x3_wgmma_64x64", {1, 64, 0.5}},
};

constexpr int64_t kSliceDepth = 32;
constexpr int64_t kBytesOfElement = 8;  // both parts
constexpr int64_t kBlocksOfMultiprocessor = 2;
constexpr std::array<int64_t, 4> kRegisterClusters = {1, 2, 4, 8};

int64_t parts(int64_t extent, int64_t part) { return (extent + part - 1) / part; }

int64_t tiles_of(const GemmProblem& problem, const RegisterTile& tile) {
  return parts(problem.m, tile.rows()) * parts(problem.n, tile.columns);
}

std::string tile_type(const Setting& setting) {
  const RegisterTile& tile = meaning_of(kRegisterTiles, setting);
  return fmt::format("stitch::RegisterTile<{}, {}>", tile.row_tiles, tile.columns);
}

}  // namespace

bool is_registers(const Setting& setting) { return is_named(kRegisterTiles, setting.variant); }

bool allows_registers(const Group& group, const GemmProblem& problem, const Setting& setting) {
  return std::find(kRegisterClusters.begin(), kRegisterClusters.end(), setting.splits) != kRegisterClusters.end() &&
         group.graph->type(problem.a.stored).dtype == DataType::kFloat32 && may_keep_planes(group, problem) &&
         problem.a.layout == Layout::kContiguousK;
}

std::vector<Setting> register_settings(const Group& group, const GemmProblem& problem, const DeviceLimits& limits) {
  constexpr int64_t kLeastExtent = 48, kLeastDepth = 64;
  constexpr int64_t kLeastDepthOfBlock = 128;  // of a cluster
  constexpr int64_t kMultiprocessors = 132;
  if (limits.architecture != "sm_90a" || std::min(problem.m, problem.n) < kLeastExtent || problem.k < kLeastDepth) {
    return {};
  }
  std::vector<Setting> settings;
  for (const auto& row : kRegisterTiles) {
    for (const int64_t blocks : kRegisterClusters) {
      const Setting setting{row.name, blocks};
      const bool is_worth_it =
          blocks == 1 || (problem.k >= blocks * kLeastDepthOfBlock &&
                          tiles_of(problem, row.meaning) * blocks <= 2 * kMultiprocessors * kBlocksOfMultiprocessor);
      if (is_worth_it && allows_registers(group, problem, setting)) {
        settings.push_back(setting);
      }
    }
  }
  return settings;
}

Work register_work(const Group& group, const GemmProblem& problem, const Setting& setting) {
  // Measured on an H200 (bench/kernels/small_gemm_bench.cu).
  constexpr double kPeakShare = 0.5, kOtherSlices = 3, kFirstUs = 4, kJoinUs = 2.5;
  constexpr double kProducts = 3.0;
  constexpr int kThreadsOfWhole = 683;  // the ring asks for as much as memory can do
  const RegisterTile& tile = meaning_of(kRegisterTiles, setting);
  const auto slices = static_cast<double>(parts(parts(problem.k, setting.splits), kSliceDepth));
  Work work;
  work.bytes = min_bytes(group);
  work.lane_operations = pointwise_operations(group);
  work.pipe = Pipe::kTf32;
  work.flops = 2.0 * kProducts * static_cast<double>(problem.m) * static_cast<double>(problem.n) *
               static_cast<double>(problem.k);
  work.padded_flops = 2.0 * kProducts * static_cast<double>(tiles_of(problem, tile) * tile.rows() * tile.columns) *
                      (slices + kOtherSlices) * static_cast<double>(setting.splits * kSliceDepth);
  work.peak_share = kPeakShare;
  work.blocks = tiles_of(problem, tile) * setting.splits;
  work.blocks_per_multiprocessor = static_cast<int>(kBlocksOfMultiprocessor);
  work.threads_per_block = kThreadsOfWhole / static_cast<int>(kBlocksOfMultiprocessor);
  work.serial_us = kFirstUs + slices * tile.slice_us + (setting.splits > 1 ? kJoinUs : 0);
  return work;
}

std::string register_launch(const Setting& setting) {
  return fmt::format("stitch::launch_gemm_kept_registers<{}, {}", tile_type(setting), setting.splits);
}

std::string register_arranging(const Setting& setting) {
  return fmt::format("stitch::launch_arrange_rhs<{}, ", tile_type(setting));
}

int64_t register_kept_bytes(const GemmProblem& problem, const Setting& setting) {
  const RegisterTile& tile = meaning_of(kRegisterTiles, setting);
  return parts(problem.n, tile.columns) * tile.columns * parts(problem.k, kSliceDepth) * kSliceDepth * kBytesOfElement;
}

std::string register_tile_text(const Setting& setting) {
  const RegisterTile& tile = meaning_of(kRegisterTiles, setting);
  return fmt::format("{} x {}", tile.rows(), tile.columns);
}

}  // namespace stitch::kernels

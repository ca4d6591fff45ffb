// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/planes.h"

#include <algorithm>
#include <array>
#include <string>

#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

struct PlaneTile {
  const char* name;  // in namespace stitch
  int64_t columns;
  double peak_share;
  bool keeps_planes;
};

// Shares of the fp16 peak, of the products alone, on an H200 (bench/results/planes-h200.md).
constexpr std::array kPlaneTiles = {
    NamedSetting<PlaneTile>{"fp16x3_128x256", {"PlaneTileBroad", 256, 0.815, false}},
    NamedSetting<PlaneTile>{"fp16x3_128x128", {"PlaneTileSquare", 128, 0.75, false}},
    NamedSetting<PlaneTile>{"fp16x3_128x256_kept", {"PlaneTileBroad", 256, 0.815, true}},
    NamedSetting<PlaneTile>{"fp16x3_128x128_kept", {"PlaneTileSquare", 128, 0.75, true}},
};

constexpr int64_t kTileRows = 128;        // of a tile
constexpr int64_t kBlockDepth = 32;       // of a block of planes
constexpr int64_t kBlockRows = 64;        // of one
constexpr int64_t kBytesOfTwoPlanes = 4;  // two planes take as much
constexpr int64_t kLeastExtent = 128;     // of rows and columns: four launches want more
constexpr int64_t kLeastDepth = 64;

int64_t block_count(int64_t extent, int64_t of_block) { return (extent + of_block - 1) / of_block; }

int64_t operand_planes_bytes(int64_t batch, int64_t rows, int64_t depth) {
  constexpr int64_t kAlignment = 256;
  return batch * ((rows + kBlockRows - 1) * (depth + kBlockDepth - 1) * kBytesOfTwoPlanes + rows * kBytesOfTwoPlanes) +
         kAlignment;
}

}  // namespace

bool may_keep_planes(const Group& group, const GemmProblem& problem) {
  return problem.batch_axes.empty() && is_given_weight(*group.graph, problem.b.stored) &&
         !is_given_weight(*group.graph, problem.a.stored);
}

bool allows_planes(const Group& group, const GemmProblem& problem, const Setting& setting) {
  constexpr int64_t kMaxGrid = 65535;  // of a launch's second axis
  return group.graph->type(problem.a.stored).dtype == DataType::kFloat32 && problem.batch <= kMaxGrid &&
         (!keeps_planes(setting) || may_keep_planes(group, problem));
}

std::vector<Setting> planes_settings(const Group& group, const GemmProblem& problem, const DeviceLimits& limits) {
  const bool is_large = std::min(problem.m, problem.n) >= kLeastExtent && problem.k >= kLeastDepth;
  if (limits.architecture != "sm_90a" || !is_large) {
    return {};
  }
  std::vector<Setting> settings = settings_where(kPlaneTiles, [](const PlaneTile&) { return true; });
  std::erase_if(settings, [&](const Setting& setting) { return !allows_planes(group, problem, setting); });
  return settings;
}

bool is_planes(const Setting& setting) { return setting.splits == 1 && is_named(kPlaneTiles, setting.variant); }

bool keeps_planes(const Setting& setting) { return meaning_of(kPlaneTiles, setting).keeps_planes; }

Work planes_work(const Group& group, const GemmProblem& problem, const Setting& setting) {
  constexpr double kProducts = 3.0;
  const PlaneTile& tile = meaning_of(kPlaneTiles, setting);
  const int64_t row_tiles = block_count(problem.m, kTileRows);
  const int64_t column_tiles = block_count(problem.n, tile.columns);
  const auto flops = [&](int64_t rows, int64_t columns, int64_t depth) {
    return 2.0 * kProducts * static_cast<double>(problem.batch) * static_cast<double>(rows) *
           static_cast<double>(columns) * static_cast<double>(depth);
  };
  Work work;
  work.bytes = min_bytes(group);
  work.lane_operations = pointwise_operations(group);
  work.pipe = Pipe::kFp16;
  work.flops = flops(problem.m, problem.n, problem.k);
  // A block fills its ring before it multiplies, and stores when it has: as long as this many steps along the depth.
  constexpr int64_t kFillAndStore = 10;
  work.padded_flops = flops(row_tiles * kTileRows, column_tiles * tile.columns,
                            (block_count(problem.k, kBlockDepth) + kFillAndStore) * kBlockDepth);
  work.flops *= problem.kept.share_of_tiles(problem.m, problem.n, 1, 1);
  work.padded_flops *= problem.kept.share_of_tiles(problem.m, problem.n, kTileRows, tile.columns);
  work.peak_share = tile.peak_share;
  work.blocks = problem.batch * row_tiles * column_tiles;
  // One of its threads asks for as many blocks as the ring has room for, which is all that memory can do.
  constexpr int kThreadsOfWhole = 683;
  work.threads_per_block = kThreadsOfWhole;
  // One launch splits an operand, one multiplies, one looks for rows that were not split.
  work.launches = tile.keeps_planes ? 3 : 4;
  // Read and written as planes, at nine tenths of the memory's speed, before anything is multiplied. What the products
  // read of them is as much as they would of the operands.
  constexpr double kSplit = 2.3;
  work.serial_bytes = kSplit * static_cast<double>(planes_scratch_bytes(problem, setting));
  return work;
}

std::string planes_tile(const Setting& setting) { return meaning_of(kPlaneTiles, setting).name; }

std::string planes_tile_text(const Setting& setting) {
  return std::to_string(kTileRows) + " x " + std::to_string(meaning_of(kPlaneTiles, setting).columns);
}

int64_t planes_scratch_bytes(const GemmProblem& problem, const Setting& setting) {
  const int64_t of_lhs = operand_planes_bytes(problem.batch, problem.m, problem.k);
  return keeps_planes(setting) ? of_lhs : of_lhs + kept_planes_bytes(problem);
}

int64_t kept_planes_bytes(const GemmProblem& problem) {
  return operand_planes_bytes(problem.batch, problem.n, problem.k);
}

}  // namespace stitch::kernels

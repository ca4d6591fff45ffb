// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/thin_planes.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/gemm/planes.h"

namespace stitch::kernels {
namespace {

constexpr const char* kThinPlanes = "fp16x3_thin";

constexpr int64_t kChunkDepth = 32;
constexpr int64_t kDeepest = 128;
constexpr int64_t kRows = 64;       // of a tile
constexpr int64_t kColumns = 128;   // of one
constexpr int64_t kLeastTiles = 4;  // of a walk along the columns

int64_t thin_tiles(int64_t extent, int64_t of_tile) { return (extent + of_tile - 1) / of_tile; }

}  // namespace

bool is_thin_planes(const Setting& setting) { return setting.splits == 1 && setting.variant == kThinPlanes; }

bool allows_thin_planes(const Group& group, const GemmProblem& problem) {
  constexpr int64_t kMaxGrid = 65535;  // of the second axis of the launches that split
  return problem.k <= kDeepest && problem.batch <= kMaxGrid &&
         group.graph->type(problem.a.stored).dtype == DataType::kFloat32;
}

std::vector<Setting> thin_planes_settings(const Group& group, const GemmProblem& problem, const DeviceLimits& limits) {
  constexpr int64_t kLeastResults = int64_t{1} << 22;  // three launches want more
  const bool walks = problem.m >= kRows && problem.n >= kLeastTiles * kColumns &&
                     problem.batch * problem.m * problem.n >= kLeastResults;
  // Up to one chunk of depth, tf32x3_thin is faster.
  if (limits.architecture != "sm_90a" || !walks || problem.k <= kChunkDepth || !allows_thin_planes(group, problem)) {
    return {};
  }
  return {{kThinPlanes, 1}};
}

Work thin_planes_work(const Group& group, const GemmProblem& problem) {
  constexpr double kProducts = 3.0;
  constexpr double kMultiplies = 0.5;  // of the tensor cores' peak
  constexpr double kSplit = 2.3;       // as planes_work()
  const int64_t row_tiles = problem.batch * thin_tiles(problem.m, kRows);
  const int64_t column_tiles = thin_tiles(problem.n, kColumns);
  const auto flops = [&](double rows, double columns, double depth) {
    return 2.0 * kProducts * rows * columns * depth;
  };
  Work work;
  work.bytes = min_bytes(group);
  work.lane_operations = pointwise_operations(group);
  work.pipe = Pipe::kFp16;
  work.flops = flops(static_cast<double>(problem.batch * problem.m), static_cast<double>(problem.n),
                     static_cast<double>(problem.k));
  work.padded_flops = flops(static_cast<double>(row_tiles * kRows), static_cast<double>(column_tiles * kColumns),
                            static_cast<double>(thin_tiles(problem.k, kChunkDepth) * kChunkDepth));
  work.peak_share = kMultiplies;
  // A tile is multiplied, then stored, and two blocks do not hide it: 1,640 us for 32,768 x 32,768 x 32 on an H200,
  // where filling takes 930, and 1,960 for 64.
  constexpr double kOfStoring = 1.48;
  constexpr double kOfChunk = 0.31;
  work.bandwidth_share = 1 / (kOfStoring + kOfChunk * static_cast<double>(thin_tiles(problem.k, kChunkDepth)));
  work.blocks = row_tiles * thin_tiles(column_tiles, kLeastTiles);
  work.blocks_per_multiprocessor = 2;
  work.threads_per_block = 384;  // a third more, which bulk copies make up for
  work.launches = 3;
  work.serial_bytes = kSplit * static_cast<double>(called_planes_bytes(problem));
  return work;
}

std::string thin_planes_launch(const GemmProblem& problem) {
  const int64_t chunks = thin_tiles(problem.k, kChunkDepth);
  return fmt::format("stitch::launch_gemm_thin_planes<{}", chunks <= 2 ? std::max<int64_t>(chunks, 1) : 4);
}

}  // namespace stitch::kernels

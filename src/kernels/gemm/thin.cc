// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/thin.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/gemm/variants.h"

namespace stitch::kernels {
namespace {

constexpr const char* kSplitPrecision = "tf32x3_thin";
constexpr const char* kRounded = "tf32_thin";

constexpr int64_t kShallow = 32;  // depths that the skeleton is compiled for
constexpr int64_t kDeepest = 64;

constexpr int64_t kRows = 128;    // of a block
constexpr int64_t kColumns = 64;  // of a tile
constexpr int64_t kEnoughBlocks = 4096;
// Columns along which a block's walk hides its loads. One of a single tile waits for them: with two batches of 64 x 64
// by 64 and by 16 a program took 6,423 us instead of 4,908.
constexpr int64_t kLeastColumns = 8 * kColumns;

int64_t compiled_depth(const GemmProblem& problem) { return problem.k <= kShallow ? kShallow : kDeepest; }

int64_t tiles(int64_t extent, int64_t of_tile) { return (extent + of_tile - 1) / of_tile; }

}  // namespace

bool allows_thin(const Group& group, const GemmProblem& problem) {
  constexpr int64_t kMaxGrid = 65535;  // of a launch's second and third axis
  return problem.k <= kDeepest && group.graph->type(problem.a.stored).dtype == DataType::kFloat32 &&
         problem.batch <= kMaxGrid && tiles(problem.m, kRows) <= kMaxGrid;
}

std::vector<Setting> thin_settings(const Group& group, const GemmProblem& problem, MathMode math) {
  const bool walks = problem.m >= kRows && problem.n >= kLeastColumns;
  if (!walks || !allows_thin(group, problem)) {
    return {};
  }
  std::vector<Setting> settings{{kSplitPrecision, 1}};
  if (products_may_round(math)) {
    settings.push_back({kRounded, 1});
  }
  return settings;
}

bool is_thin(const Setting& setting) {
  return setting.splits == 1 && (setting.variant == kSplitPrecision || setting.variant == kRounded);
}

Work thin_work(const Group& group, const GemmProblem& problem, const Setting& setting) {
  constexpr double kWrites = 0.72;      // of the device's bandwidth, of blocks that hardly read
  constexpr double kMultiplies = 0.42;  // of the tensor cores' peak
  const bool is_split = setting.variant == kSplitPrecision;
  const int64_t row_tiles = problem.batch * tiles(problem.m, kRows);
  const int64_t column_tiles = tiles(problem.n, kColumns);
  const double products = is_split ? 3.0 : 1.0;
  Work work;
  work.bytes = min_bytes(group);
  work.lane_operations = pointwise_operations(group);
  work.pipe = Pipe::kTf32;
  work.flops = 2.0 * products * static_cast<double>(problem.batch) * static_cast<double>(problem.m) *
               static_cast<double>(problem.n) * static_cast<double>(problem.k);
  work.padded_flops = 2.0 * products * static_cast<double>(row_tiles * kRows) *
                      static_cast<double>(column_tiles * kColumns) * static_cast<double>(compiled_depth(problem));
  work.peak_share = kMultiplies;
  work.bandwidth_share = kWrites;
  work.blocks = row_tiles * std::min(column_tiles, tiles(kEnoughBlocks, row_tiles));
  work.threads_per_block = 256;  // half as many, which ask for twice as much at once
  work.blocks_per_multiprocessor = problem.k <= kShallow ? 3 : 2;
  return work;
}

std::string thin_arguments(const GemmProblem& problem, const Setting& setting) {
  return fmt::format("stitch::{}, {}", setting.variant == kSplitPrecision ? "Tf32x3" : "Tf32", compiled_depth(problem));
}

}  // namespace stitch::kernels

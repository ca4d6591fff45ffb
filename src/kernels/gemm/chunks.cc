// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/gemm/planes.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

struct ChunkTile {
  const char* name;  // in namespace stitch
  int64_t rows;
  int64_t columns;
  int blocks;  // on a multiprocessor
  // What a chunk takes, and how many of them filling the ring, storing and adding a cluster's rows take.
  double chunk_us;
  double other_chunks;
  bool keeps_planes;
  bool in_scratch;
};

// Times on an H200 (bench/kernels/small_gemm_bench.cu).
constexpr std::array kChunkTiles = {
    NamedSetting<ChunkTile>{"fp16x3_64x128_chunks_kept", {"ChunkTileKept", 64, 128, 1, 1.0, 7, true, false}},
    NamedSetting<ChunkTile>{"fp16x3_64x128_shallow_kept", {"ChunkTileSmallKept", 64, 128, 2, 1.2, 5.5, true, false}},
    NamedSetting<ChunkTile>{"fp16x3_128x128_chunks_split_k", {"ChunkTileSquare", 128, 128, 1, 2.05, 5, false, true}},
};

constexpr int64_t kChunkDepth = 32;
constexpr int64_t kMaxSplitsInScratch = 64;
constexpr std::array<int64_t, 3> kClusters = {1, 2, 4};
constexpr std::array<int64_t, 2> kScratchSplits = {16, 32};

int64_t tiles_of(int64_t extent, int64_t of_tile) { return (extent + of_tile - 1) / of_tile; }

bool is_cluster(int64_t splits) { return std::find(kClusters.begin(), kClusters.end(), splits) != kClusters.end(); }

// Those that leave each block a few chunks, and do not ask for more blocks than run at once.
std::vector<Setting> with_splits(const Setting& setting, const ChunkTile& tile, const GemmProblem& problem) {
  constexpr int64_t kLeastDepth = 128;  // of a block of a cluster
  constexpr int64_t kLeastDepthInScratch = 2048;
  constexpr int64_t kBlocksAtOnce = 132;  // of an H200
  const int64_t blocks = problem.batch * tiles_of(problem.m, tile.rows) * tiles_of(problem.n, tile.columns);
  std::vector<Setting> settings;
  const auto add = [&](int64_t splits, int64_t least) {
    if (splits == 1 || (problem.k >= splits * least && blocks * splits <= 2 * kBlocksAtOnce * tile.blocks)) {
      settings.push_back({setting.variant, splits});
    }
  };
  if (tile.in_scratch) {
    std::for_each(kScratchSplits.begin(), kScratchSplits.end(),
                  [&](int64_t splits) { add(splits, kLeastDepthInScratch); });
  } else {
    std::for_each(kClusters.begin(), kClusters.end(), [&](int64_t splits) { add(splits, kLeastDepth); });
  }
  return settings;
}

}  // namespace

bool is_chunks(const Setting& setting) { return is_named(kChunkTiles, setting.variant); }

bool chunks_keep_planes(const Setting& setting) { return meaning_of(kChunkTiles, setting).keeps_planes; }

bool chunks_in_scratch(const Setting& setting) { return meaning_of(kChunkTiles, setting).in_scratch; }

bool allows_chunks(const Group& group, const GemmProblem& problem, const Setting& setting) {
  const ChunkTile& tile = meaning_of(kChunkTiles, setting);
  const bool may_split =
      tile.in_scratch ? setting.splits >= 1 && setting.splits <= kMaxSplitsInScratch : is_cluster(setting.splits);
  return may_split && group.graph->type(problem.a.stored).dtype == DataType::kFloat32 &&
         (!tile.keeps_planes || may_keep_planes(group, problem));
}

std::vector<Setting> chunk_settings(const Group& group, const GemmProblem& problem, const DeviceLimits& limits) {
  constexpr int64_t kLeastRows = 64;
  constexpr int64_t kLeastColumns = 64;
  constexpr int64_t kLeastDepth = 64;
  if (limits.architecture != "sm_90a" || problem.m < kLeastRows || problem.n < kLeastColumns ||
      problem.k < kLeastDepth) {
    return {};
  }
  std::vector<Setting> settings;
  for (const auto& row : kChunkTiles) {
    for (const Setting& setting : with_splits({row.name, 1}, row.meaning, problem)) {
      if (allows_chunks(group, problem, setting)) {
        settings.push_back(setting);
      }
    }
  }
  return settings;
}

Work chunk_work(const Group& group, const GemmProblem& problem, const Setting& setting) {
  constexpr double kProducts = 3.0;
  constexpr double kFloatBytes = 4.0;
  const ChunkTile& tile = meaning_of(kChunkTiles, setting);
  const int64_t row_tiles = tiles_of(problem.m, tile.rows);
  const int64_t column_tiles = tiles_of(problem.n, tile.columns);
  const auto splits = static_cast<double>(setting.splits);
  const auto chunks = static_cast<double>(tiles_of(tiles_of(problem.k, setting.splits), kChunkDepth));
  const auto flops = [&](int64_t rows, int64_t columns, double depth) {
    return 2.0 * kProducts * static_cast<double>(problem.batch) * static_cast<double>(rows) *
           static_cast<double>(columns) * depth;
  };
  Work work;
  work.bytes = min_bytes(group);
  work.lane_operations = pointwise_operations(group);
  work.pipe = Pipe::kFp16;
  work.flops = flops(problem.m, problem.n, static_cast<double>(problem.k)) *
               problem.kept.share_of_tiles(problem.m, problem.n, 1, 1);
  work.padded_flops = flops(row_tiles * tile.rows, column_tiles * tile.columns,
                            (chunks + tile.other_chunks) * splits * static_cast<double>(kChunkDepth)) *
                      problem.kept.share_of_tiles(problem.m, problem.n, tile.rows, tile.columns);
  constexpr double kPeakShare = 0.6;  // what the chunks' times leave to the tensor cores
  work.peak_share = kPeakShare;
  work.blocks = problem.batch * row_tiles * column_tiles * setting.splits;
  work.blocks_per_multiprocessor = tile.blocks;
  constexpr int kThreadsOfWhole = 683;  // the ring asks for as much as memory can do
  work.threads_per_block = kThreadsOfWhole / tile.blocks;
  work.serial_us = (chunks + tile.other_chunks) * tile.chunk_us;
  if (tile.in_scratch) {
    const double partial_bytes = kFloatBytes * splits * static_cast<double>(problem.batch) *
                                 static_cast<double>(problem.m) * static_cast<double>(problem.n);
    work.launches += 1;
    work.extra_bytes += partial_bytes;
    work.serial_bytes += partial_bytes;
  }
  return work;
}

std::string chunk_launch(const Setting& setting) {
  const ChunkTile& tile = meaning_of(kChunkTiles, setting);
  if (tile.in_scratch) {
    return fmt::format("stitch::launch_gemm_chunks_split_k<stitch::{}", tile.name);
  }
  return fmt::format("stitch::launch_gemm_{}chunks<stitch::{}, {}", tile.keeps_planes ? "kept_" : "", tile.name,
                     setting.splits);
}

std::string chunk_tile_text(const Setting& setting) {
  const ChunkTile& tile = meaning_of(kChunkTiles, setting);
  return fmt::format("{} x {}", tile.rows, tile.columns);
}

}  // namespace stitch::kernels

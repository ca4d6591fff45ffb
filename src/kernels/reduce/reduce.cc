// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/reduce.h"

#include <algorithm>
#include <array>

#include "ir/graph/op.h"
#include "kernels/reduce/accumulator.h"
#include "kernels/reduce/columns_work.h"
#include "kernels/reduce/rewrite.h"
#include "kernels/reduce/total_store.h"
#include "kernels/rows/cluster_rows.h"
#include "kernels/rows/held_rows.h"
#include "kernels/rows/lanes.h"
#include "kernels/rows/row_functors.h"
#include "kernels/rows/row_sharing.h"

namespace stitch::kernels {
namespace {

// Elements: shorter parts do not repay a second stage. Few columns make few blocks, so theirs may be shorter.
constexpr int64_t kMinRowPart = 1024;
constexpr int64_t kMinColumnPart = 96;
constexpr int64_t kMaxSplits = 4096;

constexpr std::array kRowSettings = {
    NamedSetting<RowSharing>{"rows_32", {32}},   NamedSetting<RowSharing>{"rows_128", {128}},
    NamedSetting<RowSharing>{"rows_256", {256}}, NamedSetting<RowSharing>{"rows_1024", {1024}},
    NamedSetting<RowSharing>{"rows_8", {8}},     NamedSetting<RowSharing>{"rows_split_256", {256, true}},
};
constexpr std::array kColumnSettings = {
    NamedSetting<RowSharing>{"columns_8", {8}},
    NamedSetting<RowSharing>{"columns_32", {32}},
    NamedSetting<RowSharing>{"columns_1", {1}},
    NamedSetting<RowSharing>{"columns_2", {2}},
    NamedSetting<RowSharing>{"columns_4", {4}},
    NamedSetting<RowSharing>{"columns_16", {16}},
    NamedSetting<RowSharing>{"columns_split_8", {8, true}},
};

SharingTable settings_for(const Group& group) {
  return reduces_innermost(group, reduced_axes(group)) ? SharingTable(kRowSettings) : SharingTable(kColumnSettings);
}

constexpr int64_t kBlocksOfParts = 6;  // that share rows, on a multiprocessor at once

Work rows_work(const RowAxes& axes, int threads, int64_t splits) {
  constexpr int kWarp = 32;
  constexpr int kMinBlock = 128;
  // Blocks of parts hold a multiprocessor's memory busy six at a time; in the last wave, of which a few are left, they
  // do not. Where an operand is broadcast the index takes registers: 1,024 parts, 1.3 waves, lost 12 % of an H200's
  // bandwidth there.
  constexpr double kLastWave = 0.1;
  Work work;
  const int64_t rows_per_block = std::max(1, kMinBlock / threads);
  work.blocks = (axes.row_count + rows_per_block - 1) / rows_per_block * splits;
  work.threads_per_block = std::max(threads, kMinBlock);
  work.blocks_per_multiprocessor = std::max(1, 2048 / work.threads_per_block);
  const double each_of_row = elements_each(axes, threads, splits);
  if (threads <= kWarp) {
    // An H100 read rows of 128 elements by warps and by eights at 2.8 and 3.0 TB/s.
    constexpr double kElementsOfShuffles = 0.4;
    work.bandwidth_share = 0.92 * each_of_row / (each_of_row + kElementsOfShuffles) * (threads < kWarp ? 0.9 : 1.0);
    // us of a warp, where all are there at once; with more of them others read meanwhile.
    constexpr double kLatency = 1.2;
    constexpr double kOfElement = 0.04;
    const bool are_all_there = work.blocks <= kMultiprocessors * work.blocks_per_multiprocessor;
    work.serial_us = are_all_there ? kLatency + kOfElement * each_of_row : 0.0;
  } else {
    constexpr double kLatency = 2;  // us of a block, whose threads read, and are then joined
    work.bandwidth_share = 0.92 * std::min(1.0, 0.2 + 0.1 * each_of_row);
    work.serial_us = kLatency;
  }
  if (splits > 1) {
    // An H100 took 57 us for 128 MB in 16 parts of 122 elements a thread, 85 us in 256 parts of 8.
    constexpr double kElementsBesides = 4;
    const double each = elements_each(axes, threads, splits);
    work.bandwidth_share = 0.92 * each / (each + kElementsBesides);
    const double waves = static_cast<double>(work.blocks) / static_cast<double>(kMultiprocessors * kBlocksOfParts);
    work.bandwidth_share *= waves > 1 ? waves / (waves + kLastWave) : 1.0;
  }
  return work;
}

// Exponentials, where a logarithm of their sum is wanted: two, of the element and of the largest so far.
double slots_of_element(const Group& group) {
  constexpr double kOfExponentials = 37;
  return group.root_node().op == ir::Op::kLogsumexp ? kOfExponentials : 0;
}

MergeTime merge_us(const Group& group) {
  const auto accumulator = choose_accumulator(*group.graph, reductions_of(group));
  const bool is_sum = accumulator.has_value() && accumulator->bytes == sizeof(float);
  return is_sum ? kMergeOfSums : kMergeOfPairs;
}

std::vector<Setting> row_settings(const RowAxes& axes) {
  std::vector<Setting> settings = sharing_settings(kRowSettings, axes, kMinRowPart, {4, 16, 64, 256, 1024, kMaxSplits});
  // One wave of blocks besides, all of which end together.
  const int64_t parts = std::clamp<int64_t>(kMultiprocessors * kBlocksOfParts / axes.row_count, 2, kMaxSplits);
  const Setting wave{"rows_split_256", parts};
  if (axes.column_count / parts >= kMinRowPart && std::find(settings.begin(), settings.end(), wave) == settings.end()) {
    settings.push_back(wave);
  }
  return settings;
}

class Reduce final : public KernelTemplate {
 public:
  const char* name() const override { return "reduce"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    const DataType dtype = graph.type(node.outputs[0]).dtype;
    return is_reduction(node) && is_floating_point(dtype) && dtype != DataType::kFloat64;
  }

  std::vector<Setting> space(const Group& group, const DeviceLimits& limits, MathMode) const override {
    if (is_rewrite(group)) {
      return rewrite_space(group, limits);
    }
    const RowAxes axes = reduced_axes(group);
    if (reduces_innermost(group, axes)) {
      return row_settings(axes);
    }
    return sharing_settings(kColumnSettings, axes, kMinColumnPart, {4, 8, 16, 32, 64, 128, 256, 1024});
  }

  bool allows(const Group& group, const Setting& setting) const override {
    if (is_rewrite(group)) {
      return is_held_row(setting) || is_cluster_row(setting) ||
             (reduces_innermost(group, reduced_axes(group)) &&
              allows_lanes(setting, reduced_axes(group).column_count)) ||
             KernelTemplate::allows(group, setting);
    }
    return allows_sharing(settings_for(group), setting, kMaxSplits);
  }

  Work work(const Group& group, const Setting& setting) const override {
    if (is_rewrite(group)) {
      return rewrite_work(group, setting);
    }
    const RowAxes axes = reduced_axes(group);
    const int threads = sharing_of(settings_for(group), setting).threads;
    Work work = reduces_innermost(group, axes) ? rows_work(axes, threads, setting.splits)
                                               : columns_work(axes, column_lanes(group, axes, setting.splits), threads,
                                                              setting.splits, merge_us(group));
    work.bytes = min_bytes(group);
    // Every thread merges its part with the others', however small the part is.
    constexpr double kMerge = 20;
    const auto merges = static_cast<double>(axes.row_count * threads * setting.splits);
    work.lane_operations = pointwise_operations(group) +
                           static_cast<double>(axes.row_count) * static_cast<double>(axes.column_count) +
                           kMerge * merges;
    // Issue slots that pass meanwhile, of two FLOPs each: a warp took 170 to 210 ps a row of an H200, of 64 elements or
    // of 128.
    constexpr double kWaits = 160;
    work.padded_flops =
        2 * ((threads > 1 ? kWaits * merges : 0.0) +
             slots_of_element(group) * static_cast<double>(axes.row_count) * static_cast<double>(axes.column_count));
    if (setting.splits > 1) {
      work.launches = 2;
    }
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override;
};

Result<StepDraft> Reduce::draft(const Group& group, const Setting& setting) const {
  if (is_rewrite(group)) {
    return draft_rewrite(group, setting);
  }
  const ir::Node& node = group.root_node();
  const RowAxes axes = reduced_axes(group);
  const std::vector<ir::NodeId> reductions = reductions_of(group);
  STITCH_ASSIGN(const AccumulatorKind accumulator, choose_accumulator(*group.graph, reductions));
  const bool rows = reduces_innermost(group, axes);
  const RowSharing sharing = sharing_of(settings_for(group), setting);
  StepBuilder step(group);
  step.include(sharing.is_split ? "kernels/reduce/split.cuh"
                                : (rows ? "kernels/reduce/row.cuh" : "kernels/reduce/column.cuh"));
  step.describe(rows
                    ? "Access: the threads of a row read neighbouring elements."
                    : "Access: neighbouring threads read neighbouring rows, four each where alignment allows, and walk "
                      "down their columns of elements.");
  step.describe("Bound: memory, one read of every element.");
  const ir::ValueId input = ir::tensor_operand(node, 0);
  STITCH_ASSIGN(const LoweredFunctor load,
                rows ? make_row_loader(step, input, axes, true) : make_column_loader(step, input, axes));
  const Expr reduced = step.extent("reduced", axes.column_count, "elements summed up in one result");
  STITCH_ASSIGN(const LoweredFunctor store, make_total_store(step, node, accumulator, reduced, group.results));
  construct(step, load, "load");
  construct(step, store, "store");
  const Expr kept = step.extent("kept", axes.row_count, "results");
  const Expr vectorised = prove_vectorised(step, rows ? reduced : kept, {{&load, "load"}});
  step.launch("const stitch::ReduceShape shape{{{}, {}, {}}};", kept, reduced, vectorised);
  const Expr threads = step.int_constant(rows ? "threads_per_row" : "threads_per_column", sharing.threads);
  const char* along = rows ? "rows" : "columns";
  if (sharing.is_split) {
    step.set_scratch_bytes(axes.row_count * setting.splits * accumulator.bytes);
    step.launch("return stitch::launch_reduce_{}_split<stitch::{}, {}>(load, store, shape, {}, args->scratch, stream);",
                along, accumulator.type, threads, step.extent("splits", setting.splits, "blocks that share a row"));
  } else {
    step.launch("return stitch::launch_reduce_{}<stitch::{}, {}>(load, store, shape, stream);", along, accumulator.type,
                threads);
  }
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_reduce() { return std::make_unique<Reduce>(); }

}  // namespace stitch::kernels

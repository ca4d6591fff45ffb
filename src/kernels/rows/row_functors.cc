// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/row_functors.h"

#include <algorithm>
#include <array>

#include "base/error/check.h"

namespace stitch::kernels {
namespace {

struct NamedSize {
  const char* name;
  RowSettingSize size;
};

constexpr std::array kRowSettings = {
    NamedSize{"row_32x4", {32, 4}},     NamedSize{"row_32x16", {32, 16}},     NamedSize{"row_128x8", {128, 8}},
    NamedSize{"row_256x8", {256, 8}},   NamedSize{"row_512x8", {512, 8}},     NamedSize{"row_1024x8", {1024, 8}},
    NamedSize{"row_512x32", {512, 32}}, NamedSize{"row_1024x16", {1024, 16}},
};

constexpr const char* kSharedRow = "shared";

Result<LoweredFunctor> make_loader(StepBuilder& step, ir::ValueId input, std::vector<Coordinate> coordinates,
                                   bool may_take_lanes, std::string comment) {
  const ir::Graph& graph = *step.group().graph;
  const TensorType& type = graph.type(input);
  const Domain domain(type.shape);
  FunctorBuilder builder(step, pascal_case(graph.value(input).name) + "Load", domain, std::move(coordinates));
  STITCH_ASSIGN(Expr element, builder.value(input, domain.anchor_map()));
  if (!is_floating_point(type.dtype)) {
    element = call("stitch::to_float", {std::move(element)});
  }
  return builder.finish(
      {.comment = std::move(comment), .may_take_lanes = may_take_lanes, .returns = std::move(element)});
}

}  // namespace

RowAxes split_axes(const std::vector<int64_t>& shape, const std::vector<int64_t>& columns) {
  RowAxes axes;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const bool is_column = std::find(columns.begin(), columns.end(), static_cast<int64_t>(axis)) != columns.end();
    (is_column ? axes.columns : axes.rows).push_back(static_cast<int>(axis));
    (is_column ? axes.column_count : axes.row_count) *= shape[axis];
  }
  return axes;
}

Result<LoweredFunctor> make_row_loader(StepBuilder& step, ir::ValueId input, const RowAxes& axes, bool may_take_lanes) {
  return make_loader(step, input, {{"row", axes.rows}, {"column", axes.columns}}, may_take_lanes,
                     "Reads one element of a row, or kLanes neighbouring ones.");
}

Result<LoweredFunctor> make_column_loader(StepBuilder& step, ir::ValueId input, const RowAxes& axes) {
  return make_loader(step, input, {{"column", axes.columns}, {"row", axes.rows}}, true,
                     "Reads one element of a row, or of kLanes neighbouring rows.");
}

std::vector<Setting> row_settings() {
  std::vector<Setting> settings;
  for (const NamedSize& named : kRowSettings) {
    settings.push_back({named.name, 1});
  }
  return settings;
}

RowSettingSize row_setting_size(const Setting& setting) {
  const auto* found = std::find_if(kRowSettings.begin(), kRowSettings.end(),
                                   [&](const NamedSize& named) { return setting.variant == named.name; });
  STITCH_CHECK(found != kRowSettings.end()) << "no row setting is called " << setting.variant;
  return found->size;
}

double share_of_alignment(const RowAxes& axes) {
  constexpr int64_t kLanes = 4;
  constexpr double kOneByOne = 0.65;  // 65,535 elements a row, and 123,039, on an H200
  return axes.column_count % kLanes == 0 ? 1.0 : kOneByOne;
}

double again_from_cache(const Group& group, const RowAxes& axes) {
  constexpr int64_t kOfL1 = 256 * 1024;  // smaller ones stay there
  constexpr double kFromCache = 0.3;     // of the time that reading it from memory would take
  double bytes = 0;
  for (const ir::ValueId operand : group.operands) {
    const TensorType& type = group.graph->type(operand);
    const bool is_of_row = type.element_count() == axes.column_count && axes.row_count > 1;
    bytes += is_of_row && type.bytes() > kOfL1 ? static_cast<double>(type.bytes() * (axes.row_count - 1)) : 0.0;
  }
  return kFromCache * bytes;
}

Work row_work(const Group& group, const RowAxes& axes, const Setting& setting, int reads_of_long_rows) {
  constexpr int kLanes = 4;
  constexpr int kRowsOfWarps = 4;  // a block of one-warp rows has four of them
  constexpr int kResidentThreads = 1536;
  const RowSettingSize size = row_setting_size(setting);
  Work work;
  work.bytes = min_bytes(group);
  work.lane_operations =
      pointwise_operations(group) + 20.0 * static_cast<double>(axes.row_count) * static_cast<double>(axes.column_count);
  // Every thread of a row takes part in two merges, with or without elements of its own.
  constexpr double kMerges = 2 * 20;
  work.lane_operations += kMerges * static_cast<double>(axes.row_count * size.threads);
  const int64_t stride = int64_t{size.threads} * kLanes;
  const int64_t trips = (axes.column_count + stride - 1) / stride;
  const int64_t capacity = int64_t{size.threads} * size.per_thread;
  if (axes.column_count > capacity) {
    work.extra_bytes = work.bytes * (reads_of_long_rows - 1) / 2;
  }
  // Threads without an element, and few bytes in flight per block barrier, both cost bandwidth.
  constexpr double kBest = 0.92;
  constexpr double kBarrier = 0.06;
  const double used = static_cast<double>(axes.column_count) / static_cast<double>(trips * stride);
  const double spare =
      static_cast<double>(axes.column_count) / static_cast<double>(std::max(axes.column_count, capacity));
  work.bandwidth_share = (size.threads > 32 ? kBest - kBarrier : kBest) * (0.25 + 0.5 * used + 0.25 * spare);
  if (axes.column_count > capacity) {
    // A long row is a stream: few threads on it leave a multiprocessor waiting for the ends of its rows.
    constexpr double kEnoughThreads = 512;
    work.bandwidth_share *= 0.5 + 0.5 * std::min(1.0, size.threads / kEnoughThreads);
  }
  work.bandwidth_share *= share_of_alignment(axes);
  work.extra_bytes += again_from_cache(group, axes);
  work.blocks = size.threads > 32 ? axes.row_count : (axes.row_count + kRowsOfWarps - 1) / kRowsOfWarps;
  work.threads_per_block = std::max(size.threads, 128);
  work.blocks_per_multiprocessor = std::max(1, kResidentThreads / work.threads_per_block);
  return work;
}

std::vector<Setting> shared_row_settings(const RowAxes& axes) {
  constexpr int64_t kLong = 65536;    // shorter rows stay in the cache until a block of their own reads them again
  constexpr int64_t kMinPart = 4096;  // shorter parts do not repay a ticket each
  std::vector<Setting> settings;
  for (const int64_t parts : {16, 32, 48, 64, 128, 256}) {
    if (axes.column_count >= kLong && axes.column_count / parts >= kMinPart) {
      settings.push_back({kSharedRow, parts});
    }
  }
  return settings;
}

bool is_shared_row(const Setting& setting) { return setting.variant == kSharedRow; }

bool allows_shared_row(const Setting& setting) {
  constexpr int64_t kMaxParts = 256;
  return is_shared_row(setting) && setting.splits >= 1 && setting.splits <= kMaxParts;
}

Work shared_row_work(const Group& group, const RowAxes& axes, const Setting& setting) {
  constexpr int kThreads = 256;
  constexpr double kShare = 0.7;              // blocks wait for tickets and for the other parts of a row
  constexpr double kPerPart = 800;            // elements read in the time that a part costs beside them
  constexpr double kMissed = 0.1;             // of the second read, what the cache no longer holds
  constexpr double kMissedPerElement = 4e-6;  // of a part: longer ones are further apart from their second read
  constexpr double kMostMissed = 0.45;        // with rows longer than the cache
  const double part = static_cast<double>(axes.column_count) / static_cast<double>(setting.splits);
  Work work;
  work.bytes = min_bytes(group);
  work.extra_bytes =
      work.bytes * std::min(kMostMissed, kMissed + kMissedPerElement * part) / 2 + again_from_cache(group, axes);
  work.lane_operations =
      pointwise_operations(group) + 20.0 * static_cast<double>(axes.row_count) * static_cast<double>(axes.column_count);
  work.bandwidth_share = kShare * part / (part + kPerPart) * share_of_alignment(axes);
  work.blocks = 2 * axes.row_count * setting.splits;
  work.threads_per_block = kThreads;
  work.blocks_per_multiprocessor = 6;
  work.launches = 2;
  return work;
}

int64_t shared_row_scratch_bytes(const RowAxes& axes, const Setting& setting, int64_t accumulator_bytes) {
  constexpr int64_t kCounterBytes = 4;
  return axes.row_count * setting.splits * accumulator_bytes + (axes.row_count + 1) * kCounterBytes;
}

void add_row_shape(StepBuilder& step, const RowAxes& axes, const std::vector<LaneUser>& users) {
  const Expr rows = step.extent("rows", axes.row_count);
  const Expr columns = step.extent("columns", axes.column_count);
  const Expr vectorised = prove_vectorised(step, columns, users);
  step.launch("const stitch::RowShape shape{{{}, {}, {}}};", rows, columns, vectorised);
}

}  // namespace stitch::kernels

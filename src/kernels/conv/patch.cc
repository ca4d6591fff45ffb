// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/template/epilogue.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

constexpr std::array kPatchSettings = {
    NamedSetting<PatchSetting>{"patch_tf32_64x64", {4, 8, false}},
    NamedSetting<PatchSetting>{"patch_tf32_64x32", {4, 4, false}},
    NamedSetting<PatchSetting>{"patch_tf32_48x64", {3, 8, false}},
    NamedSetting<PatchSetting>{"patch_tf32_32x64", {2, 8, false}},
    NamedSetting<PatchSetting>{"patch_tf32_32x32", {2, 4, false}},
    NamedSetting<PatchSetting>{"patch_tf32_16x64", {1, 8, false}},
    NamedSetting<PatchSetting>{"patch_tf32_16x32", {1, 4, false}},
    NamedSetting<PatchSetting>{"patch_tf32x3_64x32", {4, 4, true}},
    NamedSetting<PatchSetting>{"patch_tf32x3_32x64", {2, 8, true}},
    NamedSetting<PatchSetting>{"patch_tf32x3_32x32", {2, 4, true}},
    NamedSetting<PatchSetting>{"patch_tf32x3_16x64", {1, 8, true}},
    NamedSetting<PatchSetting>{"patch_tf32x3_16x32", {1, 4, true}},
};

// As the skeleton has them.
constexpr int64_t kWarps = 4;
constexpr int64_t kSlice = 8;          // input channels
constexpr int64_t kRowsOfTile = 16;    // output channels
constexpr int64_t kColumnsOfTile = 8;  // places
constexpr int64_t kLanes = 4;
constexpr int64_t kRoomOfTwoBlocks = 112 << 10;
constexpr int64_t kRoomOfThreeBlocks = 74 << 10;
constexpr int64_t kTilesOfThreeBlocks = 16;  // of sums, at most

int64_t count_of(int64_t extent, int64_t piece) { return (extent + piece - 1) / piece; }
int64_t floor_of(int64_t value, int64_t divisor) { return -count_of(-value, divisor); }

// PatchAxis of runtime/kernels/conv/patch_axes.cuh.
struct AxisOfPatch {
  int64_t phases = 1;
  int64_t places = 1;
  int64_t origin = 0;
  int64_t step = 1;
  int64_t reach = 0;  // of a place, beyond its first element

  int64_t extent(int64_t of_places) const { return (of_places - 1) * step + reach + 1; }
};

AxisOfPatch axis_of(const ConvolutionProblem& problem, size_t axis) {
  const WindowNumbers& window = problem.window;
  const int64_t stride = window.stride[axis];
  const int64_t padding = window.padding[axis];
  const int64_t length = (window.kernel[axis] - 1) * window.dilation[axis];
  if (!problem.transposed) {
    return {1, problem.out[axis], -padding, stride, length};
  }
  const int64_t back = floor_of(length - padding, stride);
  return {stride, count_of(problem.out[axis], stride), -back, 1, back + count_of(padding, stride)};
}

struct PatchAxesOf {
  AxisOfPatch z;
  AxisOfPatch y;
  AxisOfPatch x;

  explicit PatchAxesOf(const ConvolutionProblem& problem)
      : z(problem.window.axes() > 2 ? axis_of(problem, 0) : AxisOfPatch{}),
        y(axis_of(problem, problem.window.axes() - 2)),
        x(axis_of(problem, problem.window.axes() - 1)) {}

  int64_t phases() const { return z.phases * y.phases * x.phases; }
  // Of places, a block's: where there is one row, its warps lie beside each other.
  int64_t rows() const { return y.places == 1 ? 1 : kWarps; }
};

int64_t tiles_of_sums(const PatchAxesOf& axes, const PatchSetting& setting) {
  return axes.phases() * setting.tiles_m * setting.tiles_n;
}

int64_t patch_bytes(const PatchAxesOf& axes, const PatchSetting& setting) {
  constexpr int64_t kFloatBytes = 4, kBuffers = 2, kBanks = 32;
  const int64_t lead = (axes.x.origin % kLanes + kLanes) % kLanes;
  const int64_t across = kWarps / axes.rows() * setting.tiles_n * kColumnsOfTile;
  const int64_t width = count_of(lead + axes.x.extent(across), kLanes) * kLanes;
  const int64_t elements = axes.z.extent(1) * axes.y.extent(axes.rows()) * width;
  const int64_t plane = (elements + kBanks - kSlice - 1) / kBanks * kBanks + kSlice;
  const int64_t pitch = setting.tiles_n * kColumnsOfTile * axes.x.phases + (axes.x.phases == 2 ? 16 : 8);
  return kFloatBytes * (kBuffers * kSlice * plane + kWarps * kRowsOfTile * pitch);
}

// Of the weights of eight input channels, as the kernel reads them.
int64_t bytes_of_slice(const ConvolutionProblem& problem, const PatchSetting& setting) {
  constexpr int64_t kBytesOfTile = 512;
  return kBytesOfTile * (setting.is_exact ? 2 : 1) * setting.tiles_m * problem.window.taps();
}

int64_t room_of_block(const PatchAxesOf& axes, const PatchSetting& setting) {
  return tiles_of_sums(axes, setting) > kTilesOfThreeBlocks ? kRoomOfTwoBlocks : kRoomOfThreeBlocks;
}

// Measured on an H200 (bench/results/kernels-h200.md), of one product: few output channels leave what is read of the
// patch to few products. Phases share it. Two blocks wait for weights that shared memory has no room for, and four
// warps in one row have few products to each element.
double peak_share_of(const ConvolutionProblem& problem, const PatchSetting& setting) {
  constexpr double kOfPhases = 0.3, kOfThreeProducts = 0.18, kNarrow = 0.8, kOfOneRow = 0.8, kOfFarWeights = 0.5;
  constexpr std::array kOfTiles = {0.165, 0.33, 0.35, 0.45};
  const PatchAxesOf axes(problem);
  if (setting.is_exact) {
    return kOfThreeProducts;
  }
  double share = axes.phases() > 1 ? kOfPhases : kOfTiles[static_cast<size_t>(setting.tiles_m - 1)];
  const bool is_narrow = axes.phases() > 1 ? tiles_of_sums(axes, setting) <= kTilesOfThreeBlocks
                                           : setting.tiles_n < 8 && setting.tiles_m > 1;
  if (is_narrow) {
    share *= kNarrow;
  }
  const int64_t room = room_of_block(axes, setting);
  const bool is_far = patch_bytes(axes, setting) + 2 * bytes_of_slice(problem, setting) > room;
  return share * (is_far && room == kRoomOfTwoBlocks ? kOfFarWeights : 1) * (axes.rows() == 1 ? kOfOneRow : 1);
}

}  // namespace

bool allows_patch(const ConvolutionProblem& problem, const PatchSetting& setting) {
  constexpr int64_t kMostTiles = 32, kMostTilesOfThreeProducts = 36, kMostUnrolled = 2048;
  constexpr int64_t kLargestPlane = int64_t{1} << 31;
  const PatchAxesOf axes(problem);
  const int64_t tiles = setting.tiles_m * setting.tiles_n;
  const int64_t sums = tiles_of_sums(axes, setting);
  const bool has_registers = setting.is_exact ? sums + tiles <= kMostTilesOfThreeProducts : sums <= kMostTiles;
  // Taps of several phases are written out, and those of a row.
  const int64_t taps = axes.phases() > 1 ? problem.window.taps() : problem.window.kernel.back();
  int64_t plane = 1;
  for (const int64_t extent : problem.in) {
    plane *= extent;
  }
  const int64_t room = room_of_block(axes, setting);
  return has_registers && taps * tiles <= kMostUnrolled && plane < kLargestPlane && patch_bytes(axes, setting) <= room;
}

std::vector<Setting> patch_settings(const ConvolutionProblem& problem, OperandRounding rounding,
                                    const DeviceLimits& limits) {
  constexpr int64_t kFewestInputChannels = 3;  // of eight that are multiplied
  const int64_t inputs = problem.in_channels / problem.groups;
  if (limits.shared_bytes_per_block < kRoomOfTwoBlocks || inputs < kFewestInputChannels || problem.window.taps() == 1) {
    return {};
  }
  const PatchAxesOf axes(problem);
  const int64_t beside = axes.x.places / (kWarps / axes.rows());
  return settings_where(kPatchSettings, [&](const PatchSetting& setting) {
    const bool is_arithmetic = setting.is_exact
                                   ? rounding == OperandRounding::kNone && (problem.transposed || problem.groups > 1)
                                   : rounding != OperandRounding::kNone;
    const bool is_filled = (setting.tiles_m - 1) * kRowsOfTile < problem.rows() &&
                           (setting.tiles_n == 4 || beside > setting.tiles_n / 2 * kColumnsOfTile);
    return is_arithmetic && is_filled && allows_patch(problem, setting);
  });
}

std::optional<PatchSetting> patch_setting(const Setting& setting) {
  return is_named(kPatchSettings, setting.variant) && setting.splits == 1
             ? std::optional(meaning_of(kPatchSettings, setting))
             : std::nullopt;
}

std::string patch_arguments(const ConvolutionProblem& problem, const PatchSetting& setting) {
  const int64_t rows = PatchAxesOf(problem).rows();
  return fmt::format("stitch::{}, stitch::PatchTile<{}, {}{}>, Window", setting.is_exact ? "Tf32x3" : "Tf32",
                     setting.tiles_m, setting.tiles_n, rows == kWarps ? "" : fmt::format(", {}", rows));
}

int64_t patch_scratch_bytes(const ConvolutionProblem& problem, const PatchSetting& setting) {
  const int64_t blocks = count_of(problem.rows(), kRowsOfTile * setting.tiles_m);
  const int64_t slices = count_of(problem.in_channels / problem.groups, kSlice);
  return problem.groups * blocks * slices * bytes_of_slice(problem, setting);
}

void describe_patch(StepBuilder& step, const ConvolutionProblem& problem) {
  step.describe(
      "Access: a launch arranges the weights as the tensor cores take them. A block takes patches of the input into "
      "shared memory, eight channels at a time; each warp multiplies its channels with the windows of neighbouring "
      "places, which are never gathered.");
  if (problem.transposed) {
    step.describe(
        "A place is as many outputs as the strides, its phases, each of which has taps of its own: no tap between "
        "inputs is multiplied.");
  }
}

void add_patch_work(const ConvolutionProblem& problem, const PatchSetting& setting, Work& work) {
  constexpr double kBytesOfFloat = 4;
  constexpr int64_t kMostPatchesOfBlock = 4, kMultiprocessors = 132, kThreadsOfCopies = 384;
  const PatchAxesOf axes(problem);
  const int64_t across = kWarps / axes.rows() * setting.tiles_n * kColumnsOfTile;
  const int64_t patches =
      problem.batch * axes.z.places * count_of(axes.y.places, axes.rows()) * count_of(axes.x.places, across);
  const int64_t blocks_of_channels = problem.groups * count_of(problem.rows(), kRowsOfTile * setting.tiles_m);
  const int64_t inputs = problem.in_channels / problem.groups;
  const double products = setting.is_exact ? 3 : 1;
  int64_t elements = problem.batch;
  for (const int64_t extent : problem.transposed ? problem.in : problem.out) {
    elements *= extent;
  }
  const auto taps = static_cast<double>(problem.window.taps());
  work.pipe = Pipe::kTf32;
  work.flops = 2.0 * products * taps * static_cast<double>(elements * inputs * problem.out_channels);
  work.padded_flops = 2.0 * products * taps *
                      static_cast<double>(patches * axes.rows() * across * count_of(inputs, kSlice) * kSlice *
                                          blocks_of_channels * kRowsOfTile * setting.tiles_m);
  work.launches += 1;
  work.blocks_per_multiprocessor = tiles_of_sums(axes, setting) > kTilesOfThreeBlocks ? 2 : 3;
  const int64_t at_once = kMultiprocessors * work.blocks_per_multiprocessor;
  const int64_t waves = count_of(patches * blocks_of_channels, at_once * kMostPatchesOfBlock);
  work.blocks = count_of(patches * blocks_of_channels, count_of(patches * blocks_of_channels, at_once * waves));
  // Patches are copied while others are multiplied: no thread waits for memory.
  work.threads_per_block = static_cast<int>(kThreadsOfCopies);
  work.peak_share = peak_share_of(problem, setting);
  work.bandwidth_share = 0.8;
  work.extra_bytes += 2 * static_cast<double>(patch_scratch_bytes(problem, setting));
  // What blocks beside and behind each other read again.
  const double read = kBytesOfFloat * static_cast<double>(patches * blocks_of_channels * inputs) *
                      static_cast<double>(axes.z.extent(1) * axes.y.extent(axes.rows()) * axes.x.extent(across));
  constexpr double kFromCache = 0.3;  // of the time that reading it from memory would take
  int64_t in = problem.batch * problem.in_channels;
  for (const int64_t extent : problem.in) {
    in *= extent;
  }
  work.extra_bytes += kFromCache * std::max(0.0, read - kBytesOfFloat * static_cast<double>(in));
}

bool stores_by_four(const ConvolutionProblem& problem, const ConvolutionLayout& layout) {
  return problem.out.back() % kLanes == 0 && !layout.sums_last;
}

// Sums go through shared memory and out where the products of a patch are done: 1.4 ps each on an H200, 1.15 where they
// are stored by four, 13 where neighbouring places are not neighbours in memory.
void add_patch_epilogue_work(const Group& group, const ConvolutionProblem& problem, const PatchSetting& setting,
                             const ConvolutionLayout& layout, Work& work) {
  constexpr double kBytesOfOutput = 6.5, kBytesByFour = 5.5, kBytesApart = 64;
  const bool by_four = stores_by_four(problem, layout);
  const double bytes = layout.sums_last ? kBytesApart : (by_four ? kBytesByFour : kBytesOfOutput);
  work.serial_bytes += bytes * static_cast<double>(problem.outputs());
  const int64_t sums = kLanes * tiles_of_sums(PatchAxesOf(problem), setting);
  add_waiting_work(group, static_cast<double>(by_four ? sums / kLanes : sums), work);
}

}  // namespace stitch::kernels

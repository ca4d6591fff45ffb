// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/window_wgmma.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/conv/pointwise.h"
#include "kernels/template/epilogue.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

constexpr std::array kWindowSettings = {
    NamedSetting<WindowWgmmaSetting>{"window_wgmma_128x32", {1, 32}},
    NamedSetting<WindowWgmmaSetting>{"window_wgmma_128x64", {1, 64}},
    NamedSetting<WindowWgmmaSetting>{"window_wgmma_128x128", {1, 128}},
    NamedSetting<WindowWgmmaSetting>{"window_wgmma_256x32", {2, 32}},
    NamedSetting<WindowWgmmaSetting>{"window_wgmma_256x64", {2, 64}},
    NamedSetting<WindowWgmmaSetting>{"window_wgmma_256x128", {2, 128}},
};

// As the skeleton has them (runtime/kernels/conv/window_tiles.cuh).
constexpr int64_t kQuadPlaces = 4;
constexpr int64_t kQuadsOfWarpgroup = 32;
constexpr int64_t kInputsOfSlice = 32;
constexpr int64_t kFloatSize = 4;
constexpr int64_t kWeightRowBytes = 128;  // of an output channel, of a tap of a slice
constexpr int64_t kInputSlices = 2, kFewestRowsOfTaps = 2;
constexpr int64_t kRoom = 226 << 10, kLeadBytes = 2 << 10;
constexpr std::array<int64_t, 4> kBlocksOfCluster = {1, 2, 4, 8};

// From a window's first element to its last.
int64_t span_of(const WindowNumbers& window, size_t axis) {
  return (window.kernel[axis] - 1) * window.dilation[axis] + 1;
}

int64_t parts_of(int64_t extent, int64_t part) { return (extent + part - 1) / part; }
int64_t whole_parts(int64_t extent, int64_t part) { return parts_of(extent, part) * part; }

// Elements of a row in shared memory before the first place's window.
int64_t lead_of(const WindowNumbers& window) { return whole_parts(window.padding[1], kQuadPlaces) - window.padding[1]; }

// WindowSteps of the skeleton.
struct WindowTiling {
  int64_t tiles = 0;
  int64_t channel_floats = 0;  // of shared memory, of an input channel
  int64_t bytes = 0;           // of a block, with the fewest stages

  bool fits() const { return bytes <= kRoom; }
  int64_t blocks_of_multiprocessor(const WindowWgmmaSetting& setting) const {
    constexpr int64_t kHalf = kRoom / 2 - 1024;
    return setting.groups == 1 && bytes <= kHalf ? 2 : 1;
  }
};

WindowTiling tiling_of(const ConvolutionProblem& problem, const WindowWgmmaSetting& setting) {
  constexpr int64_t kBanks = 32, kChannelBanks = 8;
  const WindowNumbers& window = problem.window;
  const int64_t quads = parts_of(problem.out[1], kQuadPlaces);
  const int64_t quads_of_tile = kQuadsOfWarpgroup * setting.groups;
  const int64_t segments = parts_of(quads, quads_of_tile);
  const int64_t lead = lead_of(window);
  const int64_t row_floats = whole_parts(
      (kQuadPlaces * parts_of(quads, segments) - 1) * window.stride[1] + span_of(window, 1) + lead, kQuadPlaces);
  const int64_t beside_input = kLeadBytes + kFewestRowsOfTaps * window.kernel[1] * setting.channels * kWeightRowBytes;
  const int64_t most_floats = (kRoom - beside_input) / (kInputSlices * kInputsOfSlice * kFloatSize);
  const int64_t fitting_rows = (most_floats - kBanks) / row_floats;
  int64_t most_rows = (fitting_rows - span_of(window, 0)) / window.stride[0] + 1;
  most_rows = segments > 1 || most_rows < 1 ? 1 : std::min(most_rows, quads_of_tile / quads);
  const int64_t row_tiles = parts_of(problem.out[0], most_rows);
  const auto in_rows = [&](int64_t rows) { return (rows - 1) * window.stride[0] + span_of(window, 0); };
  const int64_t fitting_images = fitting_rows / in_rows(problem.out[0]);
  const bool is_part = row_tiles > 1 || segments > 1;  // of an image
  const int64_t images =
      is_part ? 1 : std::min({quads_of_tile / quads / problem.out[0], fitting_images, problem.batch});
  WindowTiling tiling;
  if (images < 1) {
    tiling.bytes = kRoom + 1;
    return tiling;
  }
  tiling.tiles = parts_of(problem.batch, images) * row_tiles * segments;
  const int64_t floats = images * in_rows(parts_of(problem.out[0], row_tiles)) * row_floats;
  tiling.channel_floats = whole_parts(floats - kChannelBanks, kBanks) + kChannelBanks;
  tiling.bytes = beside_input + kInputSlices * kInputsOfSlice * kFloatSize * tiling.channel_floats;
  return tiling;
}

int64_t slices_of(const ConvolutionProblem& problem) { return parts_of(problem.in_channels, kInputsOfSlice); }

// Most of the channels that are multiplied are there, or it is the smallest block that has them all.
bool is_filled(const ConvolutionProblem& problem, int64_t channels) {
  constexpr int64_t kFourths = 5, kSmallest = 32;
  const bool is_smallest =
      channels >= problem.out_channels && (channels == kSmallest || channels < 2 * problem.out_channels);
  return is_smallest || 4 * whole_parts(problem.out_channels, channels) <= kFourths * problem.out_channels;
}

// Blocks for which there is work without leaving each too little, and no more than run in a few turns.
bool is_worth_splitting(const ConvolutionProblem& problem, const WindowWgmmaSetting& setting) {
  constexpr int64_t kMultiprocessors = 132, kMostTurns = 3;
  const int64_t blocks = tiling_of(problem, setting).tiles * parts_of(problem.out_channels, setting.channels);
  return setting.blocks == 1 ||
         (setting.blocks <= slices_of(problem) && setting.blocks * blocks <= kMostTurns * kMultiprocessors);
}

std::string tile_type_of(const WindowWgmmaSetting& setting) {
  return fmt::format("stitch::PointwiseTile<{}, {}>", setting.groups, setting.channels);
}

// Of the tensor cores' peak; fewer output channels leave more to be read into registers for each product. Measured on
// an H200, as are the times of add_window_wgmma_work (bench/kernels/window_bench.cu).
double share_of_channels(int64_t channels) {
  constexpr double kOf128 = 0.45, kOf64 = 0.26, kOf32 = 0.15;
  return channels > 64 ? kOf128 : (channels > 32 ? kOf64 : kOf32);
}

}  // namespace

bool allows_window_wgmma(const ConvolutionProblem& problem, const WindowWgmmaSetting& setting) {
  constexpr int64_t kMostUnits = int64_t{1} << 30, kMostTaps = 7, kMostStride = 4;
  constexpr int64_t kMostElements = 32;  // that a thread reads of a row for its places: they are in registers
  const WindowNumbers& window = problem.window;
  if (problem.transposed || problem.groups != 1 || window.axes() != 2 || window.kernel[1] > kMostTaps) {
    return false;
  }
  const bool steps_little =
      std::all_of(window.stride.begin(), window.stride.end(), [](int64_t s) { return s <= kMostStride; });
  const int64_t elements = lead_of(window) + (kQuadPlaces - 1) * window.stride[1] + span_of(window, 1);
  const WindowTiling tiling = tiling_of(problem, setting);
  return steps_little && elements <= kMostElements && tiling.fits() &&
         tiling.tiles * parts_of(problem.out_channels, setting.channels) * setting.blocks < kMostUnits;
}

std::vector<Setting> window_wgmma_settings(const ConvolutionProblem& problem, OperandRounding rounding,
                                           const DeviceLimits& limits) {
  constexpr int64_t kFewestInputs = 16;                           // of 32 that a slice has
  const bool is_pointwise = allows_pointwise(problem, {}, true);  // which has less to copy and to wait for
  if (limits.architecture != "sm_90a" || rounding == OperandRounding::kNone || is_pointwise ||
      problem.in_channels < kFewestInputs) {
    return {};
  }
  std::vector<Setting> settings;
  for (const auto& row : kWindowSettings) {
    for (const int64_t blocks : kBlocksOfCluster) {
      const Setting setting{row.name, blocks};
      const std::optional<WindowWgmmaSetting> meaning = window_wgmma_setting(setting);
      if (meaning.has_value() && is_filled(problem, meaning->channels) && allows_window_wgmma(problem, *meaning) &&
          is_worth_splitting(problem, *meaning)) {
        settings.push_back(setting);
      }
    }
  }
  return settings;
}

std::optional<WindowWgmmaSetting> window_wgmma_setting(const Setting& setting) {
  constexpr int64_t kFewestOfBlock = 8;  // output channels whose sums a block adds up
  if (!is_named(kWindowSettings, setting.variant)) {
    return std::nullopt;
  }
  WindowWgmmaSetting meaning = meaning_of(kWindowSettings, setting);
  meaning.blocks = setting.splits;
  const bool is_cluster =
      std::find(kBlocksOfCluster.begin(), kBlocksOfCluster.end(), meaning.blocks) != kBlocksOfCluster.end();
  return is_cluster && meaning.channels % (kFewestOfBlock * meaning.blocks) == 0 ? std::optional(meaning)
                                                                                 : std::nullopt;
}

std::string window_wgmma_arguments(const WindowWgmmaSetting& setting) {
  return fmt::format("{}, Window, {}", tile_type_of(setting), setting.blocks);
}

std::string window_wgmma_arranging(const WindowWgmmaSetting& setting) {
  return fmt::format("stitch::launch_arrange_windows<{}, Window>", tile_type_of(setting));
}

int64_t window_wgmma_weight_bytes(const ConvolutionProblem& problem, const WindowWgmmaSetting& setting) {
  return whole_parts(problem.out_channels, setting.channels) * slices_of(problem) * problem.window.taps() *
         kWeightRowBytes;
}

void describe_window_wgmma(StepBuilder& step, const WindowWgmmaSetting& setting) {
  step.describe(
      "Access: a block takes rows of 32 input channels at a time into shared memory, as they lie; each thread reads "
      "what the windows of four neighbouring places have of a row, rounds it once, and hands it to the tensor cores in "
      "registers, tap after tap. Weights are arranged as they read them, before.");
  if (setting.blocks > 1) {
    step.describe(
        "The blocks of a cluster share the input channels of a tile, and each adds up all blocks' sums of its part of "
        "the output channels.");
  }
  step.describe("Bound: arithmetic, or latency where there are few tiles.");
}

void add_window_wgmma_work(const Group& group, const ConvolutionProblem& problem, const WindowWgmmaSetting& setting,
                           const ConvolutionLayout& layout, Work& work) {
  constexpr double kFirstUs = 4, kJoinUs = 5, kBytesOfMicrosecond = 4.8e6, kFromCache = 0.2;
  constexpr double kElementsCopiedInMicrosecond = 5000, kBytesOneByOne = 4, kBytesApart = 8;
  constexpr int64_t kSlicesBesides = 1, kThreadsThatSaturate = 768, kMultiprocessors = 132;
  const WindowTiling tiling = tiling_of(problem, setting);
  const int64_t of_channels = parts_of(problem.out_channels, setting.channels);
  const int64_t slices = parts_of(slices_of(problem), setting.blocks);
  const int64_t units = tiling.tiles * of_channels;
  const auto taps = static_cast<double>(problem.window.taps());
  const double of_slice =
      2.0 * static_cast<double>(kQuadsOfWarpgroup * kQuadPlaces * setting.groups * setting.channels * kInputsOfSlice) *
      taps;
  work.pipe = Pipe::kTf32;
  work.flops = 2.0 * static_cast<double>(problem.outputs()) * static_cast<double>(problem.depth());
  work.padded_flops = of_slice * static_cast<double>(units * setting.blocks * (slices + kSlicesBesides));
  work.blocks = units * setting.blocks;
  // A block that has a multiprocessor to itself takes nearly all of it.
  work.blocks_per_multiprocessor =
      work.blocks <= kMultiprocessors ? 1 : static_cast<int>(tiling.blocks_of_multiprocessor(setting));
  work.threads_per_block = static_cast<int>(kThreadsThatSaturate) / work.blocks_per_multiprocessor;
  work.peak_share = share_of_channels(setting.channels);
  // Rows of other lengths than multiples of four are copied element by element.
  const bool in_fours = problem.in[1] % kQuadPlaces == 0;
  const double copied = static_cast<double>(tiling.channel_floats * kInputsOfSlice) / (in_fours ? kQuadPlaces : 1);
  work.serial_us = copied / kElementsCopiedInMicrosecond * static_cast<double>(slices);
  const double weights = static_cast<double>(window_wgmma_weight_bytes(problem, setting));
  const double input = static_cast<double>(tiling.tiles * tiling.channel_floats * kFloatSize * problem.in_channels);
  work.extra_bytes +=
      kFromCache * (static_cast<double>(of_channels) * input + static_cast<double>(tiling.tiles) * weights);
  work.serial_bytes += kBytesOfMicrosecond * (kFirstUs + (setting.blocks > 1 ? kJoinUs : 0));
  const double apart = layout.sums_last ? kBytesApart : (problem.out[1] % kQuadPlaces == 0 ? 0 : kBytesOneByOne);
  work.serial_bytes += apart * static_cast<double>(problem.outputs());
  add_waiting_work(group, static_cast<double>(setting.channels) / 4, work);
}

}  // namespace stitch::kernels

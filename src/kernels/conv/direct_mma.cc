// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/direct_mma.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

constexpr std::array kDirectMmaSettings = {
    NamedSetting<DirectMmaSetting>{"direct_tf32x3_64x8", {64, 8}},
    NamedSetting<DirectMmaSetting>{"direct_tf32x3_64x4", {64, 4}},
    NamedSetting<DirectMmaSetting>{"direct_tf32x3_32x8", {32, 8}},
    NamedSetting<DirectMmaSetting>{"direct_tf32x3_32x4", {32, 4}},
    NamedSetting<DirectMmaSetting>{"direct_tf32x3_groups_64", {64, 8, true}},
    NamedSetting<DirectMmaSetting>{"direct_tf32x3_groups_32", {32, 8, true}},
};

// As the skeleton has them.
constexpr int64_t kMmaThreads = 256;
constexpr int64_t kMmaColumns = 32;
constexpr int64_t kChannelsOfWarp = 32;
constexpr int64_t kDepthOfSlice = 8;
constexpr int64_t kPatchesOfBlock = 4;
constexpr int64_t kRowsByGroups = 8;
constexpr int64_t kPatchesByGroups = 16;

int64_t pieces_of(int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; }

// Elements under `outputs` neighbouring outputs along one axis.
int64_t span_under(const WindowNumbers& window, size_t axis, int64_t outputs) {
  return (outputs - 1) * window.stride[axis] + (window.kernel[axis] - 1) * window.dilation[axis] + 1;
}

// Of a patch.
int64_t rows_of(const DirectMmaSetting& setting) {
  return setting.by_groups ? kRowsByGroups : kMmaThreads / kMmaColumns / (setting.channels / kChannelsOfWarp);
}

// Of a plane of the window and the input channels of a stage, as slices of K.
int64_t slices_of(const WindowNumbers& window, const DirectMmaSetting& setting) {
  const size_t y = window.axes() - 2;
  return pieces_of(window.kernel[y] * window.kernel[y + 1] * setting.input_channels, kDepthOfSlice);
}

// Of one input channel.
int64_t elements_of_patch(const WindowNumbers& window, const DirectMmaSetting& setting) {
  const size_t y = window.axes() - 2;
  return span_under(window, y, rows_of(setting)) * span_under(window, y + 1, kMmaColumns);
}

int64_t shared_bytes(const WindowNumbers& window, const DirectMmaSetting& setting) {
  constexpr int64_t kFloatBytes = 4, kParts = 2, kPatches = 2, kStagedOfWarp = 320;
  if (setting.by_groups) {
    // Weights by blocks of four slices; a patch as it comes, and two whose elements are split.
    constexpr int64_t kSlicesOfBlock = 4, kOfTwoPlanes = 24;
    const int64_t two_planes = 2 * elements_of_patch(window, setting) + 2 * kOfTwoPlanes;
    return kFloatBytes * (kParts * pieces_of(slices_of(window, setting), kSlicesOfBlock) * kSlicesOfBlock *
                              kDepthOfSlice * setting.channels +
                          (1 + kPatches * kParts) * setting.input_channels / 2 * two_planes);
  }
  const int64_t plane = pieces_of(elements_of_patch(window, setting), kMmaColumns) * kMmaColumns + kDepthOfSlice;
  return kFloatBytes * (kParts * slices_of(window, setting) * kDepthOfSlice * setting.channels +
                        kPatches * setting.input_channels * plane + kMmaThreads / kMmaColumns * kStagedOfWarp);
}

// Measured on an H200 with a plain epilogue (bench/results/kernels-h200.md): 0.18 of the peak with nine slices, less
// with five, whose patches are loaded and finished just as long; weights that are taken in parts are split again for
// each patch, which 64 channels feel.
double peak_share_of(const WindowNumbers& window, const DirectMmaSetting& setting, int64_t parts) {
  constexpr double kReached = 0.265, kSlicesBesides = 4, kOfWeightsInParts = 0.9;
  const auto slices = static_cast<double>(slices_of(window, setting));
  if (setting.by_groups) {
    // Measured on an H200 with a pooled and a mish epilogue. 32 channels split and read as much as 64.
    constexpr double kReachedByGroups = 0.64, kOfFewerChannels = 0.8;
    const double of_channels = setting.channels > kChannelsOfWarp ? 1.0 : kOfFewerChannels;
    return kReachedByGroups * of_channels * slices / (slices + kSlicesBesides);
  }
  const bool splits_again = parts > 1 && setting.channels > kChannelsOfWarp;
  return kReached * slices / (slices + kSlicesBesides) * (splits_again ? kOfWeightsInParts : 1.0);
}

}  // namespace

bool allows_direct_mma(const ConvolutionProblem& problem, const DirectMmaSetting& setting) {
  constexpr int64_t kRoomOfTwoBlocks = 112 << 10;
  if (setting.by_groups && (problem.window.axes() != 2 || problem.in_channels > setting.input_channels)) {
    return false;
  }
  return !problem.transposed && problem.groups == 1 && shared_bytes(problem.window, setting) <= kRoomOfTwoBlocks;
}

std::vector<Setting> direct_mma_settings(const ConvolutionProblem& problem, const DeviceLimits& limits) {
  constexpr int64_t kMostInputChannels = 32;  // beyond them tiles of a product are better
  return settings_where(kDirectMmaSettings, [&](const DirectMmaSetting& setting) {
    const bool is_filled = (setting.by_groups || setting.input_channels < problem.in_channels + 4) &&
                           setting.channels < problem.out_channels + kChannelsOfWarp;
    const bool is_there = !setting.by_groups || limits.architecture == "sm_90a";
    return is_there && is_filled && problem.in_channels <= kMostInputChannels && allows_direct_mma(problem, setting);
  });
}

std::optional<DirectMmaSetting> direct_mma_setting(const Setting& setting) {
  return is_named(kDirectMmaSettings, setting.variant) && setting.splits == 1
             ? std::optional(meaning_of(kDirectMmaSettings, setting))
             : std::nullopt;
}

std::string direct_mma_arguments(const DirectMmaSetting& setting) {
  return setting.by_groups
             ? fmt::format("stitch::DirectWgmmaTile<{}>, Window", setting.channels)
             : fmt::format("stitch::DirectMmaTile<{}, {}>, Window", setting.channels, setting.input_channels);
}

int64_t direct_mma_parts_of_plane(const ConvolutionProblem& problem, const DirectMmaSetting& setting) {
  const size_t y = problem.window.axes() - 2;
  const int64_t across = pieces_of(problem.out[y + 1], kMmaColumns);
  return setting.by_groups ? pieces_of(pieces_of(problem.out[y], kRowsByGroups) * across, kPatchesByGroups)
                           : (y > 0 ? problem.out[0] : 1) * problem.out[y] * across;
}

void describe_direct_mma(StepBuilder& step, const DirectMmaSetting& setting) {
  if (setting.by_groups) {
    step.describe(
        "Access: a block keeps its channels' weights in shared memory, in two TF32 parts, takes patches of the input "
        "there and splits them once; four warps multiply them with the windows of 64 pixels, which are never "
        "gathered.");
    return;
  }
  step.describe(
      "Access: a block keeps its channels' weights in shared memory, in two TF32 parts, and takes patches of the "
      "input there; each warp multiplies 32 channels with the windows of 32 pixels, which are never gathered.");
}

void add_direct_mma_work(const ConvolutionProblem& problem, const DirectMmaSetting& setting, Work& work) {
  constexpr double kBytesOfFloat = 4, kProducts = 3;
  const size_t y = problem.window.axes() - 2;
  const int64_t rows = rows_of(setting);
  const int64_t patches = problem.batch * (y > 0 ? problem.out[0] : 1) * pieces_of(problem.out[y], rows) *
                          pieces_of(problem.out[y + 1], kMmaColumns);
  const int64_t blocks_of_channels = pieces_of(problem.out_channels, setting.channels);
  const int64_t parts = pieces_of(problem.in_channels, setting.input_channels) * (y > 0 ? problem.window.kernel[0] : 1);
  const auto depth = static_cast<double>(parts * slices_of(problem.window, setting) * kDepthOfSlice);
  work.pipe = Pipe::kTf32;
  work.flops = 2.0 * kProducts * static_cast<double>(problem.outputs()) * static_cast<double>(problem.depth());
  work.padded_flops = 2.0 * kProducts * depth *
                      static_cast<double>(patches * rows * kMmaColumns * blocks_of_channels * setting.channels);
  work.blocks = pieces_of(patches, setting.by_groups ? kPatchesByGroups : kPatchesOfBlock) * blocks_of_channels;
  work.blocks_per_multiprocessor = 2;
  work.threads_per_block = kMmaThreads;
  work.peak_share = peak_share_of(problem.window, setting, parts);
  work.bandwidth_share = 0.8;
  // What blocks beside and behind each other read again.
  const double read = kBytesOfFloat * static_cast<double>(patches * blocks_of_channels * parts) *
                      static_cast<double>(setting.input_channels * elements_of_patch(problem.window, setting));
  int64_t elements = problem.batch * problem.in_channels;
  for (const int64_t extent : problem.in) {
    elements *= extent;
  }
  constexpr double kFromCache = 0.3;  // of the time that reading it from memory would take
  work.extra_bytes = kFromCache * std::max(0.0, read - kBytesOfFloat * static_cast<double>(elements));
}

}  // namespace stitch::kernels

// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/direct_fp16.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

constexpr std::array kDirectFp16Settings = {
    NamedSetting<DirectFp16Setting>{"direct_fp16x3_64x8", {64, 8, 16, 2, 1}},
    NamedSetting<DirectFp16Setting>{"direct_fp16x3_64x4", {64, 4, 16, 2, 1}},
    NamedSetting<DirectFp16Setting>{"direct_fp16x3_32x8", {32, 8, 8, 1, 1}},
    NamedSetting<DirectFp16Setting>{"direct_fp16x3_32x4", {32, 4, 8, 1, 1}},
    NamedSetting<DirectFp16Setting>{"direct_fp16x3_16x8", {16, 8, 8, 1, 2}},
    NamedSetting<DirectFp16Setting>{"direct_fp16x3_16x4", {16, 4, 8, 1, 2}},
};

// As the skeleton has them.
constexpr int64_t kWarpThreads = 32;
constexpr int64_t kPixelsOfLine = 32;
constexpr int64_t kChannelsOfTile = 16;
constexpr int64_t kHalvesOfSlice = 16;
constexpr int64_t kTogether = 4;  // elements that are copied
constexpr int64_t kBytesOfFloat = 4;
constexpr int64_t kMultiprocessors = 132;
constexpr int64_t kSector = 8;  // elements of memory that are written together

int64_t pieces(int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; }

int64_t raised_to(int64_t number, int64_t multiple) { return pieces(number, multiple) * multiple; }

int64_t input_under(const WindowNumbers& window, size_t axis, int64_t outputs) {
  return (outputs - 1) * window.stride[axis] + (window.kernel[axis] - 1) * window.dilation[axis] + 1;
}

// How many lines of pixels a patch has behind, below and beside each other.
struct PatchLines {
  int64_t depth;
  int64_t rows;
  int64_t across;
};

// The input under a patch.
struct Fp16Patch {
  PatchLines lines;
  int64_t slices;    // of K
  int64_t elements;  // of one input channel
  int64_t shared_bytes;

  Fp16Patch(const ConvolutionProblem& problem, const DirectFp16Setting& setting, const PatchLines& of_patch)
      : lines(of_patch) {
    constexpr int64_t kBytesOfBanks = 128, kParts = 2, kBytesOfHalf = 2;
    constexpr int64_t kStagedOfWarp = 1280, kMarksOfWarp = 4, kMarks = 32;
    const WindowNumbers& window = problem.window;
    const size_t y = window.axes() - 2;
    slices = pieces(window.taps(), kHalvesOfSlice / setting.input_channels);
    const int64_t in_depth = y > 0 ? input_under(window, 0, lines.depth) : 1;
    const int64_t in_rows = input_under(window, y, lines.rows);
    const int64_t lead = (kTogether - window.padding[y + 1] % kTogether) % kTogether;
    const int64_t width = raised_to(lead + input_under(window, y + 1, lines.across * kPixelsOfLine), kTogether);
    elements = in_depth * in_rows * width;
    const int64_t cycle = kBytesOfBanks / setting.input_channels / kBytesOfHalf;
    const int64_t pitch = width + (cycle / 2 + cycle - width % cycle) % cycle;
    const int64_t plane =
        in_rows * pitch + (window.kernel[y] * window.dilation[y] * pitch + cycle - in_rows * pitch % cycle) % cycle;
    const int64_t weights = kParts * kBytesOfHalf * slices * kHalvesOfSlice * setting.channels;
    const int64_t split = kParts * kBytesOfHalf * in_depth * plane * setting.input_channels;
    const int64_t raw = problem.in_channels * elements * kBytesOfFloat;
    shared_bytes = weights + split + raw + setting.warps * (kStagedOfWarp + kMarksOfWarp) + kMarks +
                   slices * kHalvesOfSlice + setting.channels * kBytesOfFloat;
  }
};

constexpr int64_t kRoomOfBlock = 227 << 10;
constexpr int64_t kReservedOfBlock = 1 << 10;
constexpr int64_t kWarpsOfMultiprocessor = 16;  // as registers have room

int64_t blocks_with_room(const Fp16Patch& patch, const DirectFp16Setting& setting) {
  return std::clamp(kRoomOfBlock / (patch.shared_bytes + kReservedOfBlock), int64_t{1},
                    kWarpsOfMultiprocessor / setting.warps);
}

// Where little is multiplied, storing takes longest. Rows that begin anywhere share sectors of memory with their
// neighbours: patches of two lines across have whole ones then, level1/54 of KernelBench in 0.8 of the time on an H200,
// level2/57 in 0.7 and of 32 channels too.
bool has_two_across(const ConvolutionProblem& problem, const DirectFp16Setting& setting) {
  constexpr int64_t kFewTaps = 32, kManyChannels = 64;
  const bool is_wide =
      setting.channels >= kManyChannels || (problem.window.axes() == 2 && setting.channels * 2 >= kManyChannels);
  return problem.window.axes() >= 2 && problem.out.back() > kPixelsOfLine && problem.out.back() % kSector != 0 &&
         is_wide && setting.input_channels * problem.window.taps() <= kFewTaps * kTogether;
}

// From large to small.
std::vector<PatchLines> lines_for(const ConvolutionProblem& problem, const DirectFp16Setting& setting) {
  const size_t y = problem.window.axes() - 2;
  if (y == 0 && problem.out[y] == 1) {
    return {{1, 1, 16}, {1, 1, 8}, {1, 1, 4}, {1, 1, 2}};
  }
  const bool is_across = has_two_across(problem, setting);
  if (y == 0) {
    return is_across ? std::vector<PatchLines>{{1, 8, 2}, {1, 4, 2}, {1, 2, 2}}
                     : std::vector<PatchLines>{{1, 16, 1}, {1, 8, 1}, {1, 4, 1}, {1, 2, 1}};
  }
  return is_across ? std::vector<PatchLines>{{2, 4, 2}, {1, 4, 2}, {1, 2, 2}}
                   : std::vector<PatchLines>{{2, 8, 1}, {2, 4, 1}, {1, 4, 1}, {1, 2, 1}};
}

// The largest for which a block has room, if any.
std::optional<Fp16Patch> patch_for(const ConvolutionProblem& problem, const DirectFp16Setting& setting) {
  for (const PatchLines& lines : lines_for(problem, setting)) {
    const Fp16Patch patch(problem, setting, lines);
    if (patch.shared_bytes <= kRoomOfBlock) {
      return patch;
    }
  }
  return std::nullopt;
}

int64_t patches_of(const ConvolutionProblem& problem, const Fp16Patch& patch) {
  const size_t y = problem.window.axes() - 2;
  return problem.batch * pieces(y > 0 ? problem.out[0] : 1, patch.lines.depth) *
         pieces(problem.out[y], patch.lines.rows) * pieces(problem.out[y + 1], patch.lines.across * kPixelsOfLine);
}

// Measured on an H200 (bench/kernels/conv_direct_bench.cu, twenty problems within 10 % but for two): of sixteen
// channels and a line of pixels a slice takes 12.6 ns of a multiprocessor. Promoting, staging and storing their sums
// takes 62, 32 more where rows begin anywhere, and a patch 0.2 for each of its elements, whichever channels are
// multiplied with it.
double peak_share_of_fp16(const ConvolutionProblem& problem, const DirectFp16Setting& setting, const Fp16Patch& patch) {
  constexpr double kReached = 0.52, kSlicesOfLine = 4.9, kOfUnevenLine = 2.5, kOfElement = 0.0162;
  const int64_t tiles = setting.channels / kChannelsOfTile;
  const int64_t lines = patch.lines.depth * patch.lines.rows * patch.lines.across;
  const auto slices = static_cast<double>(patch.slices);
  const double of_split =
      kOfElement * static_cast<double>(patch.elements * setting.input_channels) / static_cast<double>(lines * tiles);
  const bool is_even = problem.out.back() % kSector == 0 || patch.lines.across > 1;
  const double of_row = is_even ? kSlicesOfLine : kSlicesOfLine + kOfUnevenLine;
  return kReached * slices / (slices + of_row + of_split);
}

}  // namespace

bool allows_direct_fp16(const ConvolutionProblem& problem, const DirectFp16Setting& setting) {
  constexpr int64_t kMostElements = int64_t{1} << 31;
  int64_t plane = 1;
  for (const int64_t extent : problem.in) {
    plane *= extent;
  }
  return !problem.transposed && problem.groups == 1 && problem.in_channels <= setting.input_channels &&
         plane < kMostElements && patch_for(problem, setting).has_value();
}

std::vector<Setting> direct_fp16_settings(const ConvolutionProblem& problem, const DeviceLimits& limits) {
  return settings_where(kDirectFp16Settings, [&](const DirectFp16Setting& setting) {
    const bool is_filled = setting.input_channels < problem.in_channels + kTogether &&
                           (setting.channels == kChannelsOfTile || setting.channels < 2 * problem.out_channels);
    return is_filled && allows_direct_fp16(problem, setting) &&
           patch_for(problem, setting)->shared_bytes <= limits.shared_bytes_per_block;
  });
}

std::optional<DirectFp16Setting> direct_fp16_setting(const Setting& setting) {
  return is_named(kDirectFp16Settings, setting.variant) && setting.splits == 1
             ? std::optional(meaning_of(kDirectFp16Settings, setting))
             : std::nullopt;
}

std::string direct_fp16_arguments(const ConvolutionProblem& problem, const DirectFp16Setting& setting) {
  const PatchLines lines = patch_for(problem, setting)->lines;
  return fmt::format("stitch::DirectFp16Tile<{}, {}, {}, {}, {}, {}, {}, {}>, Window",
                     setting.channels / setting.warps_of_channels / kChannelsOfTile, setting.warps_of_channels,
                     setting.lines_of_warp, setting.warps, setting.input_channels, lines.depth, lines.rows,
                     lines.across);
}

int64_t direct_fp16_parts(const ConvolutionProblem& problem, const DirectFp16Setting& setting, bool by_image) {
  const Fp16Patch patch = *patch_for(problem, setting);
  const int64_t blocks =
      by_image ? patches_of(problem, patch) / problem.batch : kMultiprocessors * kWarpsOfMultiprocessor / setting.warps;
  return blocks * (setting.warps / setting.warps_of_channels);
}

void describe_direct_fp16(StepBuilder& step) {
  step.describe(
      "Access: a block keeps its channels' weights in shared memory and takes patches of the input there, both in two "
      "fp16 parts: a patch is split once, by a power of two of its own, and its windows are never gathered.");
  step.describe(
      "Bound: three fp16 products for each of fp32, or writing the outputs where channels are few. What two parts do "
      "not hold is summed up in fp32.");
}

void add_direct_fp16_work(const ConvolutionProblem& problem, const DirectFp16Setting& setting, Work& work) {
  constexpr double kProducts = 3, kBandwidthShare = 0.85, kFromCache = 0.3;
  const size_t y = problem.window.axes() - 2;
  const Fp16Patch patch = *patch_for(problem, setting);
  const int64_t patches = patches_of(problem, patch);
  const int64_t lines =
      problem.outputs() / problem.out_channels / problem.out[y + 1] * pieces(problem.out[y + 1], kPixelsOfLine);
  const int64_t blocks_of_channels = pieces(problem.out_channels, setting.channels);
  const int64_t resident = blocks_with_room(patch, setting);
  work.pipe = Pipe::kFp16;
  work.flops = 2.0 * kProducts * static_cast<double>(problem.outputs()) * static_cast<double>(problem.depth());
  work.padded_flops = 2.0 * kProducts * static_cast<double>(lines * kPixelsOfLine) *
                      static_cast<double>(blocks_of_channels * setting.channels * patch.slices * kHalvesOfSlice);
  const int64_t of_block = pieces(patches * blocks_of_channels, kMultiprocessors * resident);
  work.blocks = pieces(patches, of_block) * blocks_of_channels;
  work.blocks_per_multiprocessor = static_cast<int>(resident);
  work.threads_per_block = static_cast<int>(setting.warps * kWarpThreads);
  work.peak_share = peak_share_of_fp16(problem, setting, patch);
  work.bandwidth_share = kBandwidthShare;
  // What blocks beside and behind each other read again.
  const double read = static_cast<double>(patches * blocks_of_channels) *
                      static_cast<double>(problem.in_channels * patch.elements * kBytesOfFloat);
  int64_t elements = problem.batch * problem.in_channels;
  for (const int64_t extent : problem.in) {
    elements *= extent;
  }
  work.extra_bytes = kFromCache * std::max(0.0, read - static_cast<double>(elements * kBytesOfFloat));
  // Until a block has split its weights nothing is multiplied: a few microseconds, as bytes that memory would read.
  constexpr double kBytesOfWeights = 20e6;
  work.serial_bytes += kBytesOfWeights;
}

}  // namespace stitch::kernels

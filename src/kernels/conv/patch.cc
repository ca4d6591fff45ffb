// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/conv/patch_axes.h"
#include "kernels/template/epilogue.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

constexpr int64_t kMostTilesOfChannels = 4;  // where outputs are stored; more hold all channels of what is joined

constexpr std::array kPatchSettings = {
    NamedSetting<PatchSetting>{"patch_tf32_128x32", {8, 4, PatchMath::kTf32}},
    NamedSetting<PatchSetting>{"patch_tf32_64x64", {4, 8, PatchMath::kTf32}},
    NamedSetting<PatchSetting>{"patch_tf32_64x32", {4, 4, PatchMath::kTf32}},
    NamedSetting<PatchSetting>{"patch_tf32_48x64", {3, 8, PatchMath::kTf32}},
    NamedSetting<PatchSetting>{"patch_tf32_32x64", {2, 8, PatchMath::kTf32}},
    NamedSetting<PatchSetting>{"patch_tf32_32x32", {2, 4, PatchMath::kTf32}},
    NamedSetting<PatchSetting>{"patch_tf32_16x64", {1, 8, PatchMath::kTf32}},
    NamedSetting<PatchSetting>{"patch_tf32_16x32", {1, 4, PatchMath::kTf32}},
    NamedSetting<PatchSetting>{"patch_fp16_128x32", {8, 4, PatchMath::kFp16}},
    NamedSetting<PatchSetting>{"patch_fp16_64x64", {4, 8, PatchMath::kFp16}},
    NamedSetting<PatchSetting>{"patch_fp16_64x64_2", {4, 8, PatchMath::kFp16, 2}},
    NamedSetting<PatchSetting>{"patch_fp16_64x64_4", {4, 8, PatchMath::kFp16, 4}},
    NamedSetting<PatchSetting>{"patch_fp16_64x32", {4, 4, PatchMath::kFp16}},
    NamedSetting<PatchSetting>{"patch_fp16_48x64", {3, 8, PatchMath::kFp16}},
    NamedSetting<PatchSetting>{"patch_fp16_32x64", {2, 8, PatchMath::kFp16}},
    NamedSetting<PatchSetting>{"patch_fp16_32x64_2", {2, 8, PatchMath::kFp16, 2}},
    NamedSetting<PatchSetting>{"patch_fp16_32x32", {2, 4, PatchMath::kFp16}},
    NamedSetting<PatchSetting>{"patch_fp16_16x64", {1, 8, PatchMath::kFp16}},
    NamedSetting<PatchSetting>{"patch_fp16_16x32", {1, 4, PatchMath::kFp16}},
    NamedSetting<PatchSetting>{"patch_tf32x3_64x32", {4, 4, PatchMath::kTf32x3}},
    NamedSetting<PatchSetting>{"patch_tf32x3_32x64", {2, 8, PatchMath::kTf32x3}},
    NamedSetting<PatchSetting>{"patch_tf32x3_32x32", {2, 4, PatchMath::kTf32x3}},
    NamedSetting<PatchSetting>{"patch_tf32x3_16x64", {1, 8, PatchMath::kTf32x3}},
    NamedSetting<PatchSetting>{"patch_tf32x3_16x32", {1, 4, PatchMath::kTf32x3}},
};

// As the skeleton has them.
constexpr int64_t kWarps = 4;
constexpr int64_t kSlice = 8;          // planes: input channels, or words of two of them
constexpr int64_t kRowsOfTile = 16;    // output channels
constexpr int64_t kColumnsOfTile = 8;  // places
constexpr int64_t kLanes = 4;
constexpr int64_t kRoomOfOneBlock = 226 << 10;
constexpr int64_t kRoomOfTwoBlocks = 112 << 10;
constexpr int64_t kRoomOfThreeBlocks = 74 << 10;
constexpr int64_t kTilesOfThreeBlocks = 16;  // of sums, at most
constexpr int64_t kChannelsOfWord = 2;

int64_t count_of(int64_t extent, int64_t piece) { return (extent + piece - 1) / piece; }

PatchAxesOf stacked_axes(const ConvolutionProblem& problem, const PatchSetting& setting, const WindowNumbers& window) {
  return {problem, window, setting.stack_z, setting.stack_y};
}

PatchAxesOf stacked_axes(const ConvolutionProblem& problem, const PatchSetting& setting) {
  return stacked_axes(problem, setting, problem.window);
}

// Of a group's input channels.
int64_t planes_of(const ConvolutionProblem& problem, const PatchSetting& setting) {
  const int64_t inputs = problem.in_channels / problem.groups;
  return setting.math == PatchMath::kFp16 ? count_of(inputs, kChannelsOfWord) : inputs;
}

// Neighbouring taps of a row that are multiplied as one: as many as few words leave room for in a slice.
int64_t fold_of(const ConvolutionProblem& problem, const PatchSetting& setting) {
  if (setting.math != PatchMath::kFp16 || problem.transposed || problem.window.kernel.back() == 1) {
    return 1;
  }
  int64_t fold = kSlice;
  while (fold > 1 && planes_of(problem, setting) * fold > kSlice) {
    fold /= 2;
  }
  return fold;
}

// The window that the skeleton runs, taps that are one counted once.
WindowNumbers folded_window(const ConvolutionProblem& problem, const PatchSetting& setting) {
  const int64_t fold = fold_of(problem, setting);
  WindowNumbers window = problem.window;
  window.kernel.back() = count_of(window.kernel.back(), fold);
  window.dilation.back() *= fold;
  return window;
}

// Of places, a block's: where there is one row, all warps lie beside each other.
int64_t rows_of(const PatchAxesOf& axes, const PatchSetting& setting) {
  return axes.y.places == 1 ? 1 : kWarps / setting.across;
}

int64_t across_of(const PatchAxesOf& axes, const PatchSetting& setting) {
  return kWarps / rows_of(axes, setting) * setting.tiles_n * kColumnsOfTile;
}

// Of all images, that a block takes one after the other.
int64_t patches_of(const ConvolutionProblem& problem, const PatchSetting& setting) {
  const PatchAxesOf axes = stacked_axes(problem, setting);
  return problem.batch * axes.z.places * count_of(axes.y.places, rows_of(axes, setting)) *
         count_of(axes.x.places, across_of(axes, setting));
}

int64_t tiles_of_sums(const PatchAxesOf& axes, const PatchSetting& setting) {
  return axes.phases() * setting.tiles_m * setting.tiles_n;
}

int64_t patch_bytes(const ConvolutionProblem& problem, const PatchSetting& setting) {
  constexpr int64_t kFloatBytes = 4, kBuffers = 2, kBanks = 32, kFewPlanes = 2;
  const PatchAxesOf axes = stacked_axes(problem, setting, folded_window(problem, setting));
  const int64_t fold = fold_of(problem, setting);
  const int64_t planes = kSlice / fold;
  const int64_t lead = (axes.x.origin % kLanes + kLanes) % kLanes;
  const int64_t more = (fold - 1) * problem.window.dilation.back();
  const int64_t width = count_of(lead + axes.x.extent(across_of(axes, setting)) + more, kLanes) * kLanes;
  const int64_t elements = axes.z.extent(1) * axes.y.extent(rows_of(axes, setting)) * width;
  const int64_t apart = planes == kFewPlanes ? kBanks / 2 : kSlice;
  const int64_t plane = (elements + kBanks - 1 - apart) / kBanks * kBanks + apart;
  const int64_t pitch = setting.tiles_n * kColumnsOfTile * axes.x.phases + (axes.x.phases == 2 ? 16 : 8);
  return kFloatBytes * (kBuffers * planes * plane + kWarps * kRowsOfTile * pitch);
}

// Of the weights of a slice, as the kernel reads them.
int64_t bytes_of_slice(const ConvolutionProblem& problem, const PatchSetting& setting) {
  constexpr int64_t kBytesOfTile = 512;
  return kBytesOfTile * (setting.math == PatchMath::kTf32x3 ? 2 : 1) * setting.tiles_m *
         folded_window(problem, setting).taps();
}

int64_t slices_of(const ConvolutionProblem& problem, const PatchSetting& setting) {
  return count_of(planes_of(problem, setting), kSlice / fold_of(problem, setting));
}

int blocks_by_registers(int64_t sums, PatchMath math) {
  constexpr int64_t kTilesOfFourBlocks = 8, kTilesOfFiveBlocks = 4;
  if (sums > kTilesOfThreeBlocks) {
    return 2;
  }
  if (math != PatchMath::kFp16 || sums > kTilesOfFourBlocks) {
    return 3;
  }
  return sums > kTilesOfFiveBlocks ? 4 : 5;
}

// Large windows' patches leave shared memory for fewer blocks than registers would.
int blocks_of_multiprocessor(const ConvolutionProblem& problem, const PatchSetting& setting) {
  const int by_registers = blocks_by_registers(tiles_of_sums(stacked_axes(problem, setting), setting), setting.math);
  const int64_t bytes = patch_bytes(problem, setting);
  const int by_memory = bytes > kRoomOfTwoBlocks ? 1 : (bytes > kRoomOfThreeBlocks ? 2 : by_registers);
  return std::min(by_registers, by_memory);
}

// Of shared memory. Where blocks are small, one that needs more than its share lies beside fewer others.
int64_t room_of_block(const ConvolutionProblem& problem, const PatchSetting& setting) {
  constexpr std::array kRooms = {kRoomOfOneBlock, kRoomOfTwoBlocks, kRoomOfThreeBlocks};
  const size_t blocks = static_cast<size_t>(blocks_of_multiprocessor(problem, setting));
  return kRooms[std::min(blocks, kRooms.size()) - 1];
}

const char* policy_of(PatchMath math) {
  switch (math) {
    case PatchMath::kTf32x3:
      return "Tf32x3";
    case PatchMath::kFp16:
      return "ScaledFp16";
    case PatchMath::kTf32:
      break;
  }
  return "Tf32";
}

// Whether most of a block's places are there.
bool is_filled(const PatchAxesOf& axes, const PatchSetting& setting) {
  constexpr int64_t kFourths = 5;  // at most, that are multiplied for four that are there
  const int64_t across = across_of(axes, setting);
  if (setting.across > 1) {
    return axes.y.places > 1 && 4 * count_of(axes.x.places, across) * across <= kFourths * axes.x.places;
  }
  return setting.tiles_n == 4 ||
         axes.x.places / (kWarps / rows_of(axes, setting)) > setting.tiles_n / 2 * kColumnsOfTile;
}

// Measured on an H200 (bench/results/kernels-h200.md), of one product: few output channels leave what is read of the
// patch to few products. Phases share it, and outputs of a place that is stacked do. Two blocks wait for weights that
// shared memory has no room for, and four warps in one row have few products to each element.
double peak_share_of(const ConvolutionProblem& problem, const PatchSetting& setting) {
  constexpr double kOfPhases = 0.3, kOfThreeProducts = 0.18, kNarrow = 0.8, kOfOneRow = 0.8, kOfFarWeights = 0.5,
                   kOfFarWeightsOfStacks = 0.75, kOfOneBlock = 0.7;
  constexpr std::array kOfTiles = {0.165, 0.33, 0.35, 0.45};
  constexpr std::array kOfStacks = {0.42, 0.36, 0.4, 0.42};
  const PatchAxesOf axes = stacked_axes(problem, setting);
  if (setting.math == PatchMath::kTf32x3) {
    return kOfThreeProducts;
  }
  const bool is_stacked = setting.stack_z * setting.stack_y > 1;
  const auto tiles = static_cast<size_t>(std::min(setting.tiles_m, kMostTilesOfChannels) - 1);
  double share = is_stacked ? kOfStacks[tiles] : (axes.phases() > 1 ? kOfPhases : kOfTiles[tiles]);
  const bool is_narrow = axes.phases() > 1
                             ? tiles_of_sums(axes, setting) <= kTilesOfThreeBlocks
                             : setting.tiles_n < 8 && setting.tiles_m > 1 && setting.tiles_m <= kMostTilesOfChannels;
  if (is_narrow) {
    share *= kNarrow;
  }
  const int64_t room = room_of_block(problem, setting);
  const bool is_far = patch_bytes(problem, setting) + 2 * bytes_of_slice(problem, setting) > room;
  const double of_far = is_stacked ? kOfFarWeightsOfStacks : kOfFarWeights;
  return share * (is_far && room >= kRoomOfTwoBlocks ? of_far : 1) * (room == kRoomOfOneBlock ? kOfOneBlock : 1) *
         (rows_of(axes, setting) == 1 ? kOfOneRow : 1);
}

}  // namespace

bool allows_patch(const ConvolutionProblem& problem, const PatchSetting& setting) {
  constexpr int64_t kMostTiles = 36, kMostTilesOfThreeProducts = 36, kMostUnrolled = 2048, kMostTaps = 512;
  constexpr int64_t kLargestPlane = int64_t{1} << 31;
  const PatchAxesOf axes = stacked_axes(problem, setting);
  const int64_t tiles = setting.tiles_m * setting.tiles_n;
  const int64_t sums = axes.phases_summed() * tiles;  // the others' stay zero and take no registers
  const bool has_registers =
      setting.math == PatchMath::kTf32x3 ? sums + tiles <= kMostTilesOfThreeProducts : sums <= kMostTiles;
  // Taps of several phases are written out, and those of a row; all of them for each output of a place that is stacked.
  const int64_t taps =
      axes.phases() > 1 ? problem.window.taps() * setting.stack_z * setting.stack_y : problem.window.kernel.back();
  int64_t plane = 1;
  for (const int64_t extent : problem.in) {
    plane *= extent;
  }
  return has_registers && taps * tiles <= kMostUnrolled && problem.window.taps() <= kMostTaps &&
         plane < kLargestPlane && patch_bytes(problem, setting) <= kRoomOfOneBlock;
}

PatchSetting joined_by(const PatchJoin& join, PatchSetting setting) {
  setting.stack_z = join.stack_z;
  setting.stack_y = join.stack_y;
  return setting;
}

int64_t blocks_of_channels(const ConvolutionProblem& problem, const PatchSetting& setting) {
  return count_of(problem.rows(), kRowsOfTile * setting.tiles_m);
}

std::vector<Setting> patch_settings(const ConvolutionProblem& problem, OperandRounding rounding,
                                    const DeviceLimits& limits, const PatchJoin* join) {
  constexpr int64_t kFewestInputs = 3;  // of eight that are multiplied
  if (limits.shared_bytes_per_block < kRoomOfTwoBlocks || problem.window.taps() == 1) {
    return {};
  }
  const bool has_others = join == nullptr && !problem.transposed && problem.groups == 1;
  return settings_where(kPatchSettings, [&](PatchSetting setting) {
    if (join != nullptr) {
      setting = joined_by(*join, setting);
    }
    const bool is_arithmetic = setting.math == PatchMath::kTf32x3 ? rounding == OperandRounding::kNone && !has_others
                                                                  : rounding != OperandRounding::kNone;
    const bool is_tile = setting.tiles_m <= kMostTilesOfChannels ||
                         (join != nullptr && join->over_channels && blocks_of_channels(problem, setting) == 1);
    return is_arithmetic && is_tile && (setting.tiles_m - 1) * kRowsOfTile < problem.rows() &&
           is_filled(stacked_axes(problem, setting), setting) &&
           planes_of(problem, setting) * fold_of(problem, setting) >= kFewestInputs && allows_patch(problem, setting) &&
           patch_bytes(problem, setting) <= limits.shared_bytes_per_block;
  });
}

std::optional<PatchSetting> patch_setting(const Setting& setting) {
  return is_named(kPatchSettings, setting.variant) && setting.splits == 1
             ? std::optional(meaning_of(kPatchSettings, setting))
             : std::nullopt;
}

std::string patch_policy(const PatchSetting& setting) { return fmt::format("stitch::{}", policy_of(setting.math)); }

std::string patch_tile(const ConvolutionProblem& problem, const PatchSetting& setting) {
  const int64_t rows = rows_of(stacked_axes(problem, setting), setting);
  return fmt::format("stitch::PatchTile<{}, {}{}>", setting.tiles_m, setting.tiles_n,
                     rows == kWarps ? "" : fmt::format(", {}", rows));
}

std::string patch_window(const ConvolutionProblem& problem, const PatchSetting& setting) {
  const int64_t fold = fold_of(problem, setting);
  std::string window = "Window";
  if (setting.stack_z * setting.stack_y > 1) {
    window = fmt::format("stitch::Stacked<Window, {}, {}>", setting.stack_z, setting.stack_y);
  }
  return fold == 1 ? window : fmt::format("stitch::Folded<{}, {}>", window, fold);
}

std::string patch_arguments(const ConvolutionProblem& problem, const PatchSetting& setting) {
  return fmt::format("{}, {}, {}", patch_policy(setting), patch_tile(problem, setting), patch_window(problem, setting));
}

int64_t patch_scratch_bytes(const ConvolutionProblem& problem, const PatchSetting& setting) {
  constexpr int64_t kWordBytes = 4, kRangeBytes = 16;
  const int64_t blocks = problem.groups * count_of(problem.rows(), kRowsOfTile * setting.tiles_m);
  const int64_t weights = blocks * slices_of(problem, setting) * bytes_of_slice(problem, setting);
  if (setting.math != PatchMath::kFp16) {
    return weights;
  }
  int64_t words = problem.batch * problem.groups * planes_of(problem, setting);
  for (size_t axis = 0; axis < problem.in.size(); ++axis) {
    const int64_t extent = problem.in[axis];
    words *= axis + 1 == problem.in.size() ? count_of(extent, kLanes) * kLanes : extent;
  }
  return weights + kWordBytes * (blocks * kRowsOfTile * setting.tiles_m + words) + kRangeBytes * problem.batch;
}

int64_t patch_parts(const ConvolutionProblem& problem, const PatchSetting& setting) {
  return patches_of(problem, setting) * kWarps;
}

void describe_patch(StepBuilder& step, const ConvolutionProblem& problem, const PatchSetting& setting) {
  step.describe(
      "Access: a launch arranges the weights as the tensor cores take them. A block takes patches of the input into "
      "shared memory, eight planes at a time; each warp multiplies its channels with the windows of neighbouring "
      "places, which are never gathered.");
  if (setting.math == PatchMath::kFp16) {
    step.describe(
        "Arithmetic: fp16 has TF32's eleven significant bits at twice its rate. Powers of two bring each image and "
        "each "
        "channel of weights into its range; images are packed first, two channels a word, and what fp16 does not hold "
        "is summed up in fp32.");
  }
  if (fold_of(problem, setting) > 1) {
    step.describe("Few channels leave room: {} neighbouring taps of a row are multiplied as one.",
                  fold_of(problem, setting));
  }
  if (problem.transposed) {
    step.describe(
        "A place is as many outputs as the strides, its phases, each of which has taps of its own: no tap between "
        "inputs is multiplied.");
  }
}

void add_patch_work(const ConvolutionProblem& problem, const PatchSetting& setting, Work& work) {
  constexpr double kBytesOfFloat = 4;
  constexpr int64_t kMostPatchesOfBlock = 4, kMultiprocessors = 132, kThreadsOfCopies = 384;
  const PatchAxesOf axes = stacked_axes(problem, setting);
  const int64_t rows = rows_of(axes, setting);
  const int64_t across = across_of(axes, setting);
  const int64_t patches = patches_of(problem, setting);
  const int64_t blocks_of_channels = problem.groups * count_of(problem.rows(), kRowsOfTile * setting.tiles_m);
  const int64_t inputs = problem.in_channels / problem.groups;
  const bool is_fp16 = setting.math == PatchMath::kFp16;
  const double products = setting.math == PatchMath::kTf32x3 ? 3 : 1;
  const int64_t deep = slices_of(problem, setting) * kSlice * (is_fp16 ? kChannelsOfWord : 1);
  int64_t elements = problem.batch;
  for (const int64_t extent : problem.transposed ? problem.in : problem.out) {
    elements *= extent;
  }
  const auto taps = static_cast<double>(problem.window.taps());
  work.pipe = is_fp16 ? Pipe::kFp16 : Pipe::kTf32;
  work.flops = 2.0 * products * taps * static_cast<double>(elements * inputs * problem.out_channels);
  work.padded_flops =
      2.0 * products * static_cast<double>(folded_window(problem, setting).taps() * setting.stack_z * setting.stack_y) *
      static_cast<double>(patches * rows * across * deep * blocks_of_channels * kRowsOfTile * setting.tiles_m);
  work.launches += is_fp16 ? 4 : 1;
  work.blocks_per_multiprocessor = blocks_of_multiprocessor(problem, setting);
  const int64_t at_once = kMultiprocessors * work.blocks_per_multiprocessor;
  const int64_t waves = count_of(patches * blocks_of_channels, at_once * kMostPatchesOfBlock);
  work.blocks = count_of(patches * blocks_of_channels, count_of(patches * blocks_of_channels, at_once * waves));
  // Patches are copied while others are multiplied: no thread waits for memory.
  work.threads_per_block = static_cast<int>(kThreadsOfCopies);
  work.peak_share = peak_share_of(problem, setting);
  work.bandwidth_share = 0.8;
  work.extra_bytes +=
      2 * static_cast<double>(blocks_of_channels * slices_of(problem, setting) * bytes_of_slice(problem, setting));
  // What blocks beside and behind each other read again.
  const double read = kBytesOfFloat * static_cast<double>(patches * blocks_of_channels * inputs) *
                      static_cast<double>(axes.z.extent(1) * axes.y.extent(rows) * axes.x.extent(across));
  constexpr double kFromCache = 0.3;  // of the time that reading it from memory would take
  int64_t in = problem.batch * problem.in_channels;
  for (const int64_t extent : problem.in) {
    in *= extent;
  }
  if (!is_fp16) {
    work.extra_bytes += kFromCache * std::max(0.0, read - kBytesOfFloat * static_cast<double>(in));
    return;
  }
  // Images are read and written as words before anything is multiplied; words are half as long.
  constexpr double kPacked = 6, kOfRead = 0.5;
  work.serial_bytes += kPacked * static_cast<double>(in);
  work.extra_bytes += kFromCache * kOfRead * std::max(0.0, read - kBytesOfFloat * static_cast<double>(in));
}

bool stores_by_four(const ConvolutionProblem& problem, const ConvolutionLayout& layout) {
  return problem.out.back() % kLanes == 0 && !layout.sums_last;
}

// Sums go through shared memory and out where the products of a patch are done: 1.4 ps each on an H200, 1.15 where they
// are stored by four, 13 where neighbouring places are not neighbours in memory. Longer pieces of a row are written
// faster.
void add_patch_epilogue_work(const Group& group, const ConvolutionProblem& problem, const PatchSetting& setting,
                             const ConvolutionLayout& layout, Work& work) {
  constexpr double kBytesOfOutput = 6.5, kBytesByFour = 5.5, kBytesApart = 64, kBytesLess = 0.6, kMostLess = 1.5;
  const bool by_four = stores_by_four(problem, layout);
  const double bytes = layout.sums_last ? kBytesApart : (by_four ? kBytesByFour : kBytesOfOutput);
  const double less = std::min(kMostLess, kBytesLess * static_cast<double>(setting.across - 1));
  work.serial_bytes += (bytes - less) * static_cast<double>(problem.outputs());
  const int64_t sums = kLanes * tiles_of_sums(stacked_axes(problem, setting), setting);
  add_waiting_work(group, static_cast<double>(by_four ? sums / kLanes : sums), work);
}

}  // namespace stitch::kernels

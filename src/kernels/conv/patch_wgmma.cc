// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/patch_wgmma.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/conv/patch.h"
#include "kernels/template/epilogue.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

// 32 channels at a time wherever there are as many and their patches have room. A row of one product is for rows alone.
constexpr std::array kPatchWgmmaSettings = {
    NamedSetting<PatchWgmmaSetting>{"patch_wgmma_16x16_32", {16, 4}},
    NamedSetting<PatchWgmmaSetting>{"patch_wgmma_16x16_16", {16, 2}},
    NamedSetting<PatchWgmmaSetting>{"patch_wgmma_4x64_32", {64, 4}},
    NamedSetting<PatchWgmmaSetting>{"patch_wgmma_4x64_16", {64, 2}},
    NamedSetting<PatchWgmmaSetting>{"patch_wgmma_1x256_16", {256, 2}},
};

// As the skeleton has them.
constexpr int64_t kPlacesOfGroup = 256;
constexpr int64_t kChannelsOfGroup = 64;  // output channels, a block's
constexpr int64_t kGroupsOfBlock = 2;
constexpr int64_t kChannelsOfPlane = 8;
constexpr int64_t kBytesOfPlace = 16;
constexpr int64_t kMultiprocessorsOfH200 = 132;
constexpr int64_t kWidthOfPairs = 32;  // rows of so many places or more are stored by two where not by four

int64_t wholes(int64_t extent, int64_t piece) { return (extent + piece - 1) / piece; }

// Of an axis: what a place reads beyond its first element.
int64_t reach_of(const ConvolutionProblem& problem, size_t axis) {
  return (problem.window.kernel[axis] - 1) * problem.window.dilation[axis];
}

// What the kernel takes of a problem by a setting.
struct GroupWork {
  int64_t tiles;
  int64_t slices;
  int64_t channel_blocks;
  int64_t patch_bytes;
  int64_t stage_bytes;
  int64_t places;  // of an image, packed

  GroupWork(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting)
      : tiles(problem.batch),
        slices(wholes(problem.in_channels, kChannelsOfPlane * setting.planes)),
        channel_blocks(wholes(problem.out_channels, kChannelsOfGroup)),
        stage_bytes(setting.planes * kChannelsOfGroup * kBytesOfPlace),
        places(1) {
    const size_t axes = problem.window.axes();
    const int64_t rows = kPlacesOfGroup / setting.width;
    tiles *= (axes > 2 ? problem.out[0] : 1) * wholes(problem.out[axes - 2], rows) *
             wholes(problem.out[axes - 1], setting.width);
    patch_bytes = setting.planes * kBytesOfPlace * (rows + reach_of(problem, axes - 2)) *
                  (setting.width + reach_of(problem, axes - 1));
    for (size_t axis = 0; axis < axes; ++axis) {
      places *= problem.out[axis] + reach_of(problem, axis);
    }
  }

  // Of the weights of a block.
  int64_t stages(const ConvolutionProblem& problem) const { return slices * problem.window.taps(); }
};

constexpr int64_t kRoomOfBlock = 227 << 10;

// Two neighbouring outputs together, where rows begin at even places of planes that are stored by four.
bool stores_by_two(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting) {
  int64_t pixels = 1;
  for (const int64_t extent : problem.out) {
    pixels *= extent;
  }
  return setting.width >= kWidthOfPairs && problem.out.back() % 2 == 0 && pixels % 4 == 0;
}

bool takes_more_channels(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting) {
  constexpr int64_t kMorePlanes = 4;
  return setting.width < kPlacesOfGroup && setting.planes < kMorePlanes &&
         problem.in_channels > setting.planes * kChannelsOfPlane &&
         allows_patch_wgmma(problem, {setting.width, kMorePlanes});
}

}  // namespace

bool allows_patch_wgmma(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting) {
  constexpr int64_t kBarriers = 2048, kPatches = 4, kFewestStages = 4, kAlignment = 128;
  constexpr int64_t kMostPlaces = int64_t{1} << 31;
  const auto is_one = [](int64_t stride) { return stride == 1; };
  const GroupWork work(problem, setting);
  return problem.groups == 1 && std::all_of(problem.window.stride.begin(), problem.window.stride.end(), is_one) &&
         work.places < kMostPlaces && work.tiles < kMostPlaces &&
         kBarriers + kPatches * (work.patch_bytes + kAlignment) + kFewestStages * work.stage_bytes <= kRoomOfBlock;
}

std::vector<Setting> patch_wgmma_settings(const ConvolutionProblem& problem, OperandRounding rounding,
                                          const DeviceLimits& limits) {
  constexpr int64_t kFewestInputs = 16, kMostPadded = 2;
  const bool is_there = limits.architecture == "sm_90a" && limits.shared_bytes_per_block >= kRoomOfBlock;
  if (!is_there || rounding == OperandRounding::kNone || problem.window.taps() == 1 ||
      problem.in_channels < kFewestInputs || 2 * problem.out_channels <= kChannelsOfGroup) {
    return {};
  }
  const bool is_row = problem.out[problem.window.axes() - 2] == 1;
  int64_t places = 1;
  for (const int64_t extent : problem.in) {
    places *= extent;
  }
  return settings_where(kPatchWgmmaSettings, [&](const PatchWgmmaSetting& setting) {
    // Sixteen are multiplied at a time.
    const bool is_filled = (setting.planes - 2) * kChannelsOfPlane < problem.in_channels;
    const bool is_wide = setting.width <= kWidthOfPairs || problem.out.back() > kWidthOfPairs;
    return (setting.width == kPlacesOfGroup) == is_row && is_filled && is_wide &&
           allows_patch_wgmma(problem, setting) && !takes_more_channels(problem, setting) &&
           GroupWork(problem, setting).places <= kMostPadded * places;
  });
}

std::optional<PatchWgmmaSetting> patch_wgmma_setting(const Setting& setting) {
  return is_named(kPatchWgmmaSettings, setting.variant) && setting.splits == 1
             ? std::optional(meaning_of(kPatchWgmmaSettings, setting))
             : std::nullopt;
}

std::string patch_wgmma_arguments(const PatchWgmmaSetting& setting) {
  return fmt::format("stitch::GroupTile<{}, {}>, Window", setting.width, setting.planes);
}

int64_t patch_wgmma_scratch_bytes(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting) {
  constexpr int64_t kFloatBytes = 4, kRangeBytes = 16;
  const GroupWork work(problem, setting);
  const int64_t planes = work.slices * setting.planes;
  return work.channel_blocks * (work.stages(problem) * work.stage_bytes + kChannelsOfGroup * kFloatBytes) +
         problem.batch * (kRangeBytes + planes * work.places * kBytesOfPlace);
}

void describe_patch_wgmma(StepBuilder& step) {
  step.describe(
      "Access: launches before pack the input, eight channels of a place beside each other, and arrange the weights. "
      "The copy engine brings patches of the input and weights into shared memory; two warpgroups multiply 64 output "
      "channels with 256 places each, by wgmma, which reads the windows from the patch as it lies. They take turns in "
      "multiplying and storing.");
  step.describe(
      "Arithmetic: fp16 has TF32's eleven significant bits at twice its rate. Powers of two bring each image and each "
      "channel of weights into its range, and what fp16 does not hold is summed up in fp32.");
}

void add_patch_wgmma_work(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting, Work& work) {
  // Measured on an H200 (bench/kernels/patch_wgmma_bench.cu), beside what storing the outputs takes; and what the
  // launches that scale and arrange take where there is little to do, as bytes that memory would read meanwhile.
  constexpr double kPeakShare = 0.62, kOfFewPlanes = 0.75, kPacked = 8, kBytesOfLaunches = 70e6;
  constexpr int64_t kThreadsOfCopies = 768, kManyPlanes = 4;
  const GroupWork counted(problem, setting);
  const auto taps = static_cast<double>(problem.window.taps());
  int64_t pixels = problem.batch;
  for (const int64_t extent : problem.transposed ? problem.in : problem.out) {
    pixels *= extent;
  }
  int64_t in = problem.batch * problem.in_channels;
  for (const int64_t extent : problem.in) {
    in *= extent;
  }
  work.pipe = Pipe::kFp16;
  work.flops = 2.0 * taps * static_cast<double>(pixels * problem.in_channels * problem.out_channels);
  work.padded_flops =
      2.0 * taps *
      static_cast<double>(wholes(counted.tiles, kGroupsOfBlock) * kGroupsOfBlock * kPlacesOfGroup * counted.slices *
                          setting.planes * kChannelsOfPlane * counted.channel_blocks * kChannelsOfGroup);
  work.launches += 4;
  work.blocks_per_multiprocessor = 1;
  // The copy engine brings what is multiplied: no thread waits for memory.
  work.threads_per_block = static_cast<int>(kThreadsOfCopies);
  // Blocks take tiles one after the other, two at a time.
  const int64_t most = std::max(int64_t{1}, kMultiprocessorsOfH200 / counted.channel_blocks);
  const int64_t pairs = wholes(counted.tiles, kGroupsOfBlock);
  work.blocks = wholes(pairs, wholes(pairs, most)) * counted.channel_blocks;
  work.peak_share = kPeakShare * (setting.planes < kManyPlanes ? kOfFewPlanes : 1);
  // Images are read and written as fp16 before anything is multiplied.
  work.serial_bytes += kBytesOfLaunches + kPacked * static_cast<double>(in);
}

void add_patch_wgmma_epilogue_work(const Group& group, const ConvolutionProblem& problem,
                                   const PatchWgmmaSetting& setting, const ConvolutionLayout& layout, Work& work) {
  constexpr double kBytesOfOutput = 6, kBytesByFour = 4, kBytesApart = 64, kFoursOfThread = 32;
  const auto outputs = static_cast<double>(problem.outputs());
  const bool by_four = stores_by_four(problem, layout);
  const double bytes = layout.sums_last ? kBytesApart : (by_four ? kBytesByFour : kBytesOfOutput);
  work.serial_bytes += bytes * outputs;
  // One warpgroup stores while the other multiplies. Where rows begin anywhere, storing takes 9 ps an output on an H200
  // (level1/65 of KernelBench: 1,647 us; level1/56, of more taps: 1,358 us, hidden), 5.5 by longer rows, and few taps
  // do not hide it.
  constexpr double kApartUs = 9e-6, kOfLongRowUs = 5.5e-6, kFlopsOfMicrosecond = 989e6, kBytesOfMicrosecond = 4.8e6;
  if (!by_four && !layout.sums_last && !stores_by_two(problem, setting)) {
    const double store_us = (setting.width >= kWidthOfPairs ? kOfLongRowUs : kApartUs) * outputs;
    const double multiply_us = work.padded_flops / (kFlopsOfMicrosecond * work.peak_share);
    work.serial_bytes += kBytesOfMicrosecond * std::max(0.0, store_us - multiply_us);
  }
  add_waiting_work(group, kFoursOfThread, work);
}

}  // namespace stitch::kernels

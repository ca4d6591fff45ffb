// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/patch_wgmma.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/conv/patch.h"
#include "kernels/conv/patch_axes.h"
#include "kernels/template/epilogue.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

// By width, those first that are taken where channels fill several alike. A row is for rows and for phases.
constexpr std::array kPatchWgmmaSettings = {
    NamedSetting<PatchWgmmaSetting>{"patch_wgmma_16x16_32", {16, 4}},
    NamedSetting<PatchWgmmaSetting>{"patch_wgmma_16x16_48", {16, 6}},
    NamedSetting<PatchWgmmaSetting>{"patch_wgmma_16x16_16", {16, 2}},
    NamedSetting<PatchWgmmaSetting>{"patch_wgmma_4x64_32", {64, 4}},
    NamedSetting<PatchWgmmaSetting>{"patch_wgmma_4x64_16", {64, 2}},
    NamedSetting<PatchWgmmaSetting>{"patch_wgmma_2x16x16_32", {16, 4, 2, 1}},
    NamedSetting<PatchWgmmaSetting>{"patch_wgmma_2x16x16_48", {16, 6, 2, 1}},
    NamedSetting<PatchWgmmaSetting>{"patch_wgmma_2x16x16_16", {16, 2, 2, 1}},
    NamedSetting<PatchWgmmaSetting>{"patch_wgmma_32x16_32", {16, 4, 1, 2}},
    NamedSetting<PatchWgmmaSetting>{"patch_wgmma_32x16_16", {16, 2, 1, 2}},
    NamedSetting<PatchWgmmaSetting>{"patch_wgmma_1x256_64", {256, 8}},
    NamedSetting<PatchWgmmaSetting>{"patch_wgmma_1x256_32", {256, 4}},
    NamedSetting<PatchWgmmaSetting>{"patch_wgmma_1x256_16", {256, 2}},
};

// As the skeleton has them.
constexpr int64_t kOutputsOfGroup = 256;
constexpr int64_t kRowsOfProduct = 64;
constexpr int64_t kGroupsOfBlock = 2;
constexpr int64_t kChannelsOfPlane = 8;
constexpr int64_t kBytesOfPlace = 16;
constexpr int64_t kMultiprocessorsOfH200 = 132;
constexpr int64_t kMostPhases = 8;       // along x
constexpr int64_t kWidthOfLongRow = 32;  // of tiles that store rows faster and fill short ones less

int64_t wholes(int64_t extent, int64_t piece) { return (extent + piece - 1) / piece; }

// Output channels of a block.
int64_t channels_of(const PatchWgmmaSetting& setting) { return kRowsOfProduct / (setting.deep * setting.high); }

bool is_line(const PatchWgmmaSetting& setting) { return setting.width == kOutputsOfGroup; }

// Of a warpgroup: each phase along x has a power of two of them, 32 at least.
int64_t places_of(const AxisOfPatch& x) {
  constexpr int64_t kFewest = 32;
  int64_t places = kOutputsOfGroup;
  while (places > kFewest && places * x.phases > kOutputsOfGroup) {
    places /= 2;
  }
  return places;
}

// What the kernel takes of a problem by a setting.
struct GroupWork {
  PatchAxesOf axes;
  int64_t phases_apart;  // along z and y
  int64_t places;        // of a tile
  int64_t tiles;         // of a phase along z and y
  int64_t slices;
  int64_t channel_blocks;
  int64_t patch_bytes;  // of all patches in shared memory
  int64_t staged_bytes;
  int64_t stage_bytes;
  int64_t taps;    // of a place, whatever its phase
  int64_t packed;  // places of an image

  GroupWork(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting)
      : axes(problem),
        phases_apart(axes.z.phases * axes.y.phases),
        places(is_line(setting) ? places_of(axes.x) : kOutputsOfGroup),
        slices(wholes(problem.in_channels, kChannelsOfPlane * setting.planes)),
        channel_blocks(wholes(problem.out_channels, channels_of(setting))),
        stage_bytes(setting.planes * kRowsOfProduct * kBytesOfPlace),
        taps(problem.window.taps()) {
    constexpr int64_t kEight = 8, kPair = 2, kShortestRow = 32;
    const int64_t together = !is_line(setting) ? 1 : (axes.x.phases == 1 ? kEight : kPair);
    const int64_t shortest = is_line(setting) ? kShortestRow : 1;
    const int64_t pitch = std::max(shortest, wholes(axes.x.places + axes.x.reach, together) * together);
    const int64_t layers = wholes(axes.z.places, setting.deep);
    const int64_t rows = wholes(axes.y.places, setting.high);
    packed = (layers * setting.deep + axes.z.reach) * (rows * setting.high + axes.y.reach) * pitch;
    tiles = problem.batch * layers *
            (is_line(setting) ? wholes((rows - 1) * pitch + axes.x.places, places)
                              : wholes(rows, places / setting.width) * wholes(axes.x.places, setting.width));
    const size_t last = problem.window.axes() - 1;
    const int64_t taps_z = last > 1 ? problem.window.kernel[0] : 1;
    taps = (taps_z + setting.deep - 1) * (problem.window.kernel[last - 1] + setting.high - 1) *
           problem.window.kernel[last];
    set_shared(setting);
  }

 private:
  void set_shared(const PatchWgmmaSetting& setting) {
    constexpr int64_t kAlignment = 128, kFewPlanes = 4, kRowsOfTile = 16, kWarps = 8, kFloatBytes = 4;
    const int64_t height = is_line(setting) ? 1 : axes.y.extent(places / setting.width * setting.high);
    const int64_t width = axes.x.extent(is_line(setting) ? places : setting.width);
    const int64_t buffers = !is_line(setting) ? 2 : (setting.planes > kFewPlanes ? 3 : 4);
    patch_bytes =
        kGroupsOfBlock * buffers * wholes(setting.planes * height * width * kBytesOfPlace, kAlignment) * kAlignment;
    const int64_t line = 8 * axes.x.phases * (axes.x.phases == 1 ? 4 : (axes.x.phases == 2 ? 2 : 1));
    staged_bytes = kWarps * kRowsOfTile * kFloatBytes * (line + (axes.x.phases == 2 ? 16 : 8));
  }
};

constexpr int64_t kRoomOfBlock = 227 << 10;

// What 16 channels at a time take longer (bench/results/kernels-h200.md).
constexpr double kOfFewPlanes = 0.75;

double padded_channels(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting) {
  const int64_t channels = kChannelsOfPlane * setting.planes;
  return static_cast<double>(wholes(problem.in_channels, channels) * channels) /
         (setting.planes == 2 ? kOfFewPlanes : 1);
}

// Of those of one width, the one that multiplies the fewest channels that are not there.
bool suits_channels(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting) {
  const NamedSetting<PatchWgmmaSetting>* best = nullptr;
  for (const auto& named : kPatchWgmmaSettings) {
    if (named.meaning.width == setting.width && named.meaning.deep == setting.deep &&
        named.meaning.high == setting.high && allows_patch_wgmma(problem, named.meaning) &&
        (best == nullptr || padded_channels(problem, named.meaning) < padded_channels(problem, best->meaning))) {
      best = &named;
    }
  }
  return best != nullptr && best->meaning.planes == setting.planes;
}

bool has_single_strides(const ConvolutionProblem& problem) {
  return std::all_of(problem.window.stride.begin(), problem.window.stride.end(),
                     [](int64_t stride) { return stride == 1; });
}

// Whether outputs of a place along this axis share taps.
bool shares_taps(const ConvolutionProblem& problem, int64_t outputs, size_t axis) {
  return outputs == 1 || (problem.window.kernel[axis] > 1 && problem.window.dilation[axis] == 1);
}

bool may_be_place(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting) {
  const size_t axes = problem.window.axes();
  return (setting.deep == 1 || (axes > 2 && shares_taps(problem, setting.deep, 0))) &&
         shares_taps(problem, setting.high, axes - 2);
}

// Outputs along z rather than along y are a place where channels are few: their patch is smaller.
bool suits_outputs(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting) {
  const bool is_one = setting.deep * setting.high == 1;
  if (is_line(setting)) {
    return true;
  }
  if (is_one != (2 * problem.out_channels > kRowsOfProduct)) {
    return false;
  }
  return setting.high == 1 || !may_be_place(problem, {setting.width, setting.planes, 2, 1});
}

// Two neighbouring outputs together, where rows begin at even places of planes that are stored by four.
bool stores_by_two(const ConvolutionProblem& problem) {
  int64_t pixels = 1;
  for (const int64_t extent : problem.out) {
    pixels *= extent;
  }
  return has_single_strides(problem) && problem.out.back() % 2 == 0 && pixels % 4 == 0;
}

// Of an output, on an H200 (bench/results/kernels-h200.md). What is not stored together goes through shared memory; the
// shorter its pieces of a row, the longer it takes.
double store_ps(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting, bool by_four) {
  constexpr double kOfGrid = 4.8, kByTwo = 4.9, kOfLongRow = 3.3, kOfLongRowByTwo = 3.2;
  constexpr double kOfLineByFour = 2.35, kOfLine = 2.5, kOfRow = 130;
  if (!is_line(setting)) {
    const bool is_long = setting.width >= kWidthOfLongRow;
    const double by_two = is_long ? kOfLongRowByTwo : kByTwo;
    return by_four ? 0 : (stores_by_two(problem) ? by_two : (is_long ? kOfLongRow : kOfGrid));
  }
  return by_four && PatchAxesOf(problem).x.phases <= 2 ? kOfLineByFour
                                                       : kOfLine + kOfRow / static_cast<double>(problem.out.back());
}

}  // namespace

bool allows_patch_wgmma(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting) {
  constexpr int64_t kBarriers = 2048, kFewestStages = 4, kMostPhasesApart = 64, kMostUnrolled = 32;
  constexpr int64_t kMostPlaces = int64_t{1} << 31;
  const bool is_single = has_single_strides(problem);
  if (problem.groups != 1 || !(is_single || (problem.transposed && is_line(setting))) ||
      !may_be_place(problem, setting)) {
    return false;
  }
  const GroupWork work(problem, setting);
  // Taps of several phases along x are written out.
  const bool is_few =
      work.axes.x.phases == 1 || (work.axes.x.phases <= kMostPhases && problem.window.kernel.back() <= kMostUnrolled);
  return is_few && work.phases_apart <= kMostPhasesApart && work.packed < kMostPlaces && work.tiles < kMostPlaces &&
         kBarriers + work.patch_bytes + work.staged_bytes + kFewestStages * work.stage_bytes <= kRoomOfBlock;
}

std::vector<Setting> patch_wgmma_settings(const ConvolutionProblem& problem, OperandRounding rounding,
                                          const DeviceLimits& limits) {
  constexpr int64_t kFewestInputs = 16, kFewestOutputs = 17, kMostPadded = 2;
  const bool is_there = limits.architecture == "sm_90a" && limits.shared_bytes_per_block >= kRoomOfBlock;
  if (!is_there || rounding == OperandRounding::kNone || problem.window.taps() == 1 ||
      problem.in_channels < kFewestInputs || problem.out_channels < kFewestOutputs) {
    return {};
  }
  const bool by_lines = problem.out[problem.window.axes() - 2] == 1 || !has_single_strides(problem);
  int64_t places = 1;
  for (const int64_t extent : problem.in) {
    places *= extent;
  }
  return settings_where(kPatchWgmmaSettings, [&](const PatchWgmmaSetting& setting) {
    const bool is_wide = setting.width <= kWidthOfLongRow || by_lines || problem.out.back() > kWidthOfLongRow;
    return is_line(setting) == by_lines && is_wide && suits_outputs(problem, setting) &&
           allows_patch_wgmma(problem, setting) && suits_channels(problem, setting) &&
           GroupWork(problem, setting).packed <= kMostPadded * places;
  });
}

std::optional<PatchWgmmaSetting> patch_wgmma_setting(const Setting& setting) {
  return is_named(kPatchWgmmaSettings, setting.variant) && setting.splits == 1
             ? std::optional(meaning_of(kPatchWgmmaSettings, setting))
             : std::nullopt;
}

std::string patch_wgmma_arguments(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting) {
  const int64_t places = is_line(setting) ? places_of(PatchAxesOf(problem).x) : kOutputsOfGroup;
  if (setting.deep * setting.high > 1) {
    return fmt::format("stitch::GroupTile<{}, {}, {}, {}, {}>, Window", setting.width, setting.planes, places,
                       setting.deep, setting.high);
  }
  return places == kOutputsOfGroup
             ? fmt::format("stitch::GroupTile<{}, {}>, Window", setting.width, setting.planes)
             : fmt::format("stitch::GroupTile<{}, {}, {}>, Window", places, setting.planes, places);
}

int64_t patch_wgmma_scratch_bytes(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting) {
  constexpr int64_t kFloatBytes = 4, kRangeBytes = 16;
  const GroupWork work(problem, setting);
  const int64_t planes = work.slices * setting.planes;
  return work.channel_blocks * (work.slices * work.taps * work.stage_bytes + channels_of(setting) * kFloatBytes) +
         problem.batch * (kRangeBytes + planes * work.packed * kBytesOfPlace);
}

int64_t patch_wgmma_parts(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting) {
  const GroupWork work(problem, setting);
  return work.tiles * work.phases_apart * setting.deep * setting.high;
}

void describe_patch_wgmma(StepBuilder& step, const ConvolutionProblem& problem, const PatchWgmmaSetting& setting) {
  step.describe(
      "Access: launches before pack the input, eight channels of a place beside each other, and arrange the weights. "
      "The copy engine brings patches of the input and weights into shared memory; two warpgroups multiply 64 output "
      "channels with the windows of 256 outputs each, by wgmma, which reads them from the patch as it lies. They take "
      "turns in multiplying and storing.");
  if (setting.deep * setting.high > 1) {
    step.describe(
        "Where output channels are few, the 64 are those of neighbouring outputs, which share most of what they read.");
  }
  if (!has_single_strides(problem)) {
    step.describe(
        "A place is as many outputs as the strides, its phases, each of which has taps of its own: no tap between "
        "inputs is multiplied. Phases along the last axis are summed up side by side; a block stays with one along "
        "the others.");
  }
  step.describe(
      "Arithmetic: fp16 has TF32's eleven significant bits at twice its rate. Powers of two bring each image and each "
      "channel of weights into its range, and what fp16 does not hold is summed up in fp32.");
}

void add_patch_wgmma_work(const ConvolutionProblem& problem, const PatchWgmmaSetting& setting, Work& work) {
  // Measured on an H200 (bench/kernels/patch_wgmma_bench.cu), beside what storing the outputs takes; and what the
  // launches that scale and arrange take where there is little to do, as bytes that memory would read meanwhile.
  constexpr double kPeakShare = 0.62, kPacked = 8, kBytesOfLaunches = 70e6;
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
      2.0 * static_cast<double>(counted.taps) *
      static_cast<double>(wholes(counted.tiles, kGroupsOfBlock) * kGroupsOfBlock * counted.places * counted.slices *
                          setting.planes * kChannelsOfPlane * counted.channel_blocks * kRowsOfProduct);
  work.launches += 4;
  work.blocks_per_multiprocessor = 1;
  // The copy engine brings what is multiplied: no thread waits for memory.
  work.threads_per_block = static_cast<int>(kThreadsOfCopies);
  // Blocks take tiles one after the other, two at a time.
  const int64_t most = std::max(int64_t{1}, kMultiprocessorsOfH200 / counted.channel_blocks);
  const int64_t pairs = wholes(counted.tiles, kGroupsOfBlock) * counted.phases_apart;
  work.blocks = wholes(pairs, wholes(pairs, most)) * counted.channel_blocks;
  work.peak_share = kPeakShare * (setting.planes < kManyPlanes ? kOfFewPlanes : 1);
  // Images are read and written as fp16 before anything is multiplied.
  work.serial_bytes += kBytesOfLaunches + kPacked * static_cast<double>(in);
}

void add_patch_wgmma_epilogue_work(const Group& group, const ConvolutionProblem& problem,
                                   const PatchWgmmaSetting& setting, const ConvolutionLayout& layout, Work& work) {
  constexpr double kBytesOfOutput = 6, kBytesByFour = 4, kBytesApart = 64, kFoursOfThread = 32;
  constexpr double kFlopsOfMicrosecond = 989e6, kBytesOfMicrosecond = 4.8e6;
  const auto outputs = static_cast<double>(problem.outputs());
  add_waiting_work(group, kFoursOfThread, work);
  if (layout.sums_last) {
    work.serial_bytes += kBytesApart * outputs;
    return;
  }
  const bool by_four = stores_by_four(problem, layout);
  // One warpgroup stores while the other multiplies.
  const double multiply_us = work.padded_flops / (kFlopsOfMicrosecond * work.peak_share);
  const double beside_us =
      is_line(setting) ? 0 : (by_four ? kBytesByFour : kBytesOfOutput) * outputs / kBytesOfMicrosecond;
  const double store_us = store_ps(problem, setting, by_four) * 1e-6 * outputs;
  work.serial_bytes += kBytesOfMicrosecond * (beside_us + std::max(0.0, store_us - multiply_us - beside_us));
}

}  // namespace stitch::kernels

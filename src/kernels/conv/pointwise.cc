// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/pointwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/template/epilogue.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

constexpr std::array kPointwiseSettings = {
    NamedSetting<PointwiseSetting>{"pointwise_wgmma_256x192", {2, 192}},
    NamedSetting<PointwiseSetting>{"pointwise_wgmma_256x128", {2, 128}},
    NamedSetting<PointwiseSetting>{"pointwise_wgmma_256x96", {2, 96}},
    NamedSetting<PointwiseSetting>{"pointwise_wgmma_256x64", {2, 64}},
    NamedSetting<PointwiseSetting>{"pointwise_wgmma_128x128", {1, 128}},
    NamedSetting<PointwiseSetting>{"pointwise_wgmma_128x64", {1, 64}},
    NamedSetting<PointwiseSetting>{"pointwise_wgmma_128x32", {1, 32}},
    NamedSetting<PointwiseSetting>{"pointwise_wgmma_128x16", {1, 16}},
    NamedSetting<PointwiseSetting>{"pointwise_tf32x3_256x80", {2, 80, 1, 2}},
    NamedSetting<PointwiseSetting>{"pointwise_tf32x3_256x64", {2, 64, 1, 2}},
    NamedSetting<PointwiseSetting>{"pointwise_tf32x3_256x40", {2, 40, 1, 2}},
    NamedSetting<PointwiseSetting>{"pointwise_tf32x3_128x80", {1, 80, 1, 2}},
    NamedSetting<PointwiseSetting>{"pointwise_tf32x3_128x64", {1, 64, 1, 2}},
    NamedSetting<PointwiseSetting>{"pointwise_tf32x3_128x40", {1, 40, 1, 2}},
    NamedSetting<PointwiseSetting>{"pointwise_tf32x3_128x32", {1, 32, 1, 2}},
};

// As the skeleton has them.
constexpr int64_t kPlacesOfWarpgroup = 128;
constexpr int64_t kInputsOfStage = 32;
constexpr int64_t kFewestChannels = 16;                  // of a block
constexpr std::array<int64_t, 3> kClusters = {2, 4, 8};  // blocks

int64_t blocks_along(int64_t extent, int64_t block) { return (extent + block - 1) / block; }

// All images' together.
int64_t places_of(const ConvolutionProblem& problem) {
  int64_t places = problem.batch;
  for (const int64_t extent : problem.out) {
    places *= extent;
  }
  return places;
}

std::string tile_type(const PointwiseSetting& setting) {
  return setting.is_exact()
             ? fmt::format("stitch::PointwiseTile<{}, {}, {}>", setting.groups, setting.channels, setting.parts)
             : fmt::format("stitch::PointwiseTile<{}, {}>", setting.groups, setting.channels);
}

// Of the input channels of a group.
int64_t slices_of(const ConvolutionProblem& problem) { return blocks_along(problem.depth(), kInputsOfStage); }
int64_t slices_of_block(const ConvolutionProblem& problem, const PointwiseSetting& setting) {
  return blocks_along(slices_of(problem), setting.blocks);
}

// Input channels that a block multiplies: where registers hold few sums, the last slice ends with the channels.
int64_t depth_of_block(const ConvolutionProblem& problem, const PointwiseSetting& setting) {
  constexpr int64_t kInputsOfStep = 8, kMostThatEndEarly = 64;
  return setting.is_exact() && setting.channels <= kMostThatEndEarly
             ? blocks_along(problem.depth(), kInputsOfStep) * kInputsOfStep
             : slices_of_block(problem, setting) * kInputsOfStage;
}

// Of output channels, each of one group.
int64_t blocks_of_channels(const ConvolutionProblem& problem, const PointwiseSetting& setting) {
  return problem.groups * blocks_along(problem.rows(), setting.channels);
}

// Whether a block keeps its weights: Memory of runtime/kernels/conv/pointwise.cuh.
bool keeps_weights(const ConvolutionProblem& problem, const PointwiseSetting& setting) {
  constexpr int64_t kFloatBytes = 4, kLead = 2 << 10;
  const int64_t stages_beside = setting.is_exact() ? 3 : 4;
  constexpr int64_t kRoomOfOne = 226 << 10, kRoomOfTwo = 112 << 10;
  const int64_t of_slice = kFloatBytes * kInputsOfStage;
  const int64_t weights = slices_of(problem) * setting.parts * setting.channels * of_slice;
  const int64_t input = setting.groups * kPlacesOfWarpgroup * of_slice;
  return setting.blocks == 1 &&
         weights + stages_beside * input <= (setting.groups == 1 ? kRoomOfTwo : kRoomOfOne) - kLead;
}

// Most of the channels that are multiplied are there, or it is the smallest block that has them all.
bool is_filled_by(const ConvolutionProblem& problem, const PointwiseSetting& setting) {
  constexpr int64_t kFourths = 5;  // at most, that are multiplied for four that are there
  const int64_t fewest_of_several = setting.is_exact() ? 40 : 64;  // blocks that read the same input
  const int64_t channels = blocks_along(problem.rows(), setting.channels) * setting.channels;
  const auto holds_all = [&](int64_t block) { return block >= problem.rows(); };
  const bool is_smallest = holds_all(setting.channels) &&
                           std::none_of(kPointwiseSettings.begin(), kPointwiseSettings.end(), [&](const auto& other) {
                             return other.meaning.parts == setting.parts && other.meaning.channels < setting.channels &&
                                    holds_all(other.meaning.channels);
                           });
  return is_smallest || (setting.channels >= fewest_of_several && 4 * channels <= kFourths * problem.rows());
}

// Of one warpgroup, whose registers hold sums and places for no more channels.
bool may_be_shared(const PointwiseSetting& setting) {
  return setting.groups == 1 && !setting.is_exact() && (setting.channels == 64 || setting.channels == 128);
}

// Blocks that compute a place and a channel each by themselves.
int64_t units_of(const ConvolutionProblem& problem, const PointwiseSetting& setting) {
  return blocks_along(places_of(problem), setting.groups * kPlacesOfWarpgroup) * blocks_of_channels(problem, setting);
}

// Clusters of blocks, where the blocks alone would leave multiprocessors idle and each has slices of its own.
void add_clusters(const ConvolutionProblem& problem, std::vector<Setting>& settings) {
  constexpr int64_t kMultiprocessors = 132, kFewestSlices = 2, kMostBlocksOfOne = 4;
  const std::vector<Setting> alone = settings;
  for (const Setting& setting : alone) {
    const PointwiseSetting& meaning = meaning_of(kPointwiseSettings, setting);
    const int64_t units = units_of(problem, meaning);
    if (!may_be_shared(meaning) || units >= 2 * kMultiprocessors) {
      continue;
    }
    for (const int64_t blocks : kClusters) {
      if (blocks * units <= kMostBlocksOfOne * kMultiprocessors &&
          blocks * kFewestSlices <= blocks_along(problem.in_channels, kInputsOfStage)) {
        settings.push_back({setting.variant, blocks});
      }
    }
  }
}

// Measured on an H200 (bench/kernels/pointwise_bench.cu): few output channels leave what is read of the input to few
// products.
double peak_share_of_channels(int64_t channels) {
  constexpr double kOf192 = 0.58, kOf128 = 0.54, kOf96 = 0.48, kOf64 = 0.37, kOf32 = 0.2, kOf16 = 0.11;
  if (channels > 96) {
    return channels > 128 ? kOf192 : kOf128;
  }
  if (channels > 32) {
    return channels > 64 ? kOf96 : kOf64;
  }
  return channels > 16 ? kOf32 : kOf16;
}

// Likewise of three products: of the arithmetic that add_pointwise_work() counts.
double exact_share(const PointwiseSetting& setting) {
  constexpr double kOf80 = 0.64, kOf64 = 0.57, kOf40 = 0.46, kOf32 = 0.4, kOfTwoWarpgroups = 0.94;
  const double of_more = setting.channels > 64 ? kOf80 : kOf64;
  const double of_fewer = setting.channels > 32 ? kOf40 : kOf32;
  return (setting.channels > 40 ? of_more : of_fewer) * (setting.groups == 1 ? 1 : kOfTwoWarpgroups);
}

// Likewise (clusters by bench/kernels/window_bench.cu). The first slices take 4 us, and the launch that arranges the
// weights 2; where images are no multiples of four places, a slice of 128 takes 0.5 us to copy place by place, and
// outputs are stored one by one.
void add_serial_work(const ConvolutionProblem& problem, const PointwiseSetting& setting,
                     const ConvolutionLayout& layout, bool are_weights_kept, Work& work) {
  constexpr double kBytesOfMicrosecond = 4.8e6, kFirstUs = 4, kArrangeUs = 2, kSliceUs = 0.5, kJoinUs = 5;
  constexpr double kBytesApart = 8, kBytesOneByOne = 4;
  constexpr double kMultiprocessors = 132;
  constexpr int64_t kTogether = 4;
  const bool in_fours = places_of(problem) / problem.batch % kTogether == 0;
  const double units =
      std::max(1.0, static_cast<double>(work.blocks) / (kMultiprocessors * work.blocks_per_multiprocessor));
  const auto slices = static_cast<double>(setting.groups * slices_of_block(problem, setting));
  const double beside_us = kFirstUs + (are_weights_kept ? 0 : kArrangeUs) + (setting.blocks > 1 ? kJoinUs : 0);
  work.serial_bytes += kBytesOfMicrosecond * (beside_us + (in_fours ? 0 : kSliceUs * slices * units));
  const double apart = layout.sums_last ? kBytesApart : (in_fours ? 0 : kBytesOneByOne);
  work.serial_bytes += apart * static_cast<double>(problem.outputs());
}

}  // namespace

bool allows_pointwise(const ConvolutionProblem& problem, const PointwiseSetting& setting, bool are_weights_kept) {
  constexpr int64_t kMostPlaces = int64_t{1} << 30;
  const WindowNumbers& window = problem.window;
  const auto is_one = [](int64_t number) { return number == 1; };
  const auto is_zero = [](int64_t number) { return number == 0; };
  return !problem.transposed && (problem.groups == 1 || setting.is_exact()) && window.taps() == 1 &&
         std::all_of(window.stride.begin(), window.stride.end(), is_one) &&
         std::all_of(window.padding.begin(), window.padding.end(), is_zero) &&
         (setting.blocks == 1 || are_weights_kept) &&
         places_of(problem) * blocks_along(problem.out_channels, kFewestChannels) * setting.blocks < kMostPlaces;
}

std::vector<Setting> pointwise_settings(const ConvolutionProblem& problem, OperandRounding rounding,
                                        const DeviceLimits& limits, bool are_weights_kept) {
  if (limits.architecture != "sm_90a") {
    return {};
  }
  // Where operands may be rounded, only groups need more than one part.
  const bool in_parts = rounding == OperandRounding::kNone || problem.groups > 1;
  std::vector<Setting> settings = settings_where(kPointwiseSettings, [&](const PointwiseSetting& setting) {
    return setting.is_exact() == in_parts && is_filled_by(problem, setting) &&
           allows_pointwise(problem, setting, are_weights_kept);
  });
  if (are_weights_kept) {
    add_clusters(problem, settings);
  }
  return settings;
}

std::optional<PointwiseSetting> pointwise_setting(const Setting& setting) {
  if (!is_named(kPointwiseSettings, setting.variant)) {
    return std::nullopt;
  }
  PointwiseSetting meaning = meaning_of(kPointwiseSettings, setting);
  meaning.blocks = setting.splits;
  const bool is_cluster = std::find(kClusters.begin(), kClusters.end(), meaning.blocks) != kClusters.end();
  return meaning.blocks == 1 || (is_cluster && may_be_shared(meaning)) ? std::optional(meaning) : std::nullopt;
}

std::string pointwise_arguments(const PointwiseSetting& setting) {
  return setting.blocks == 1 ? tile_type(setting) : fmt::format("{}, {}", tile_type(setting), setting.blocks);
}

int64_t pointwise_weight_bytes(const ConvolutionProblem& problem, const PointwiseSetting& setting) {
  constexpr int64_t kRowBytes = 128;
  return blocks_of_channels(problem, setting) * setting.channels * slices_of(problem) * setting.parts * kRowBytes;
}

void describe_pointwise(StepBuilder& step, const PointwiseSetting& setting) {
  step.describe(
      "Access: weights are arranged as the tensor cores read them, before. Blocks stay and take tile after tile of "
      "places, 32 input channels at a time, into a ring in shared memory, as they lie; each thread reads four "
      "neighbouring places of a channel, {} them, and hands them to the tensor cores in registers.",
      setting.is_exact() ? "splits" : "rounds");
  if (setting.is_exact()) {
    step.describe(
        "Arithmetic: operands in two TF32 parts, three products for each of fp32, summed up in fp32 every 32 "
        "channels.");
  }
  if (setting.blocks > 1) {
    step.describe(
        "The blocks of a cluster share the input channels of a tile, and each adds up all blocks' sums of its part of "
        "the output channels.");
  }
  step.describe("Bound: memory, or arithmetic where both input and output channels are many.");
}

std::string pointwise_arranging(const PointwiseSetting& setting) {
  return fmt::format("stitch::launch_arrange_pointwise<{}>", tile_type(setting));
}

void add_pointwise_work(const Group& group, const ConvolutionProblem& problem, const PointwiseSetting& setting,
                        const ConvolutionLayout& layout, Work& work) {
  constexpr double kFloatBytes = 4, kFromCache = 0.2;
  constexpr int64_t kThreadsThatSaturate = 768;
  // Storing the sums of a unit, and filling the pipeline again, take about as long as three slices, or as one of three
  // products.
  const int64_t slices_besides = setting.is_exact() ? 1 : 3;
  const double products = setting.is_exact() ? 3 : 1;
  const int64_t tiles = blocks_along(places_of(problem), setting.groups * kPlacesOfWarpgroup);
  const int64_t of_channels = blocks_of_channels(problem, setting);
  const auto weights = static_cast<double>(pointwise_weight_bytes(problem, setting));
  work.pipe = Pipe::kTf32;
  work.flops = 2.0 * products * static_cast<double>(problem.outputs()) * static_cast<double>(problem.depth());
  work.padded_flops = 2.0 * products * static_cast<double>(tiles * setting.groups * kPlacesOfWarpgroup) *
                      static_cast<double>(of_channels * setting.channels) *
                      static_cast<double>(depth_of_block(problem, setting) + slices_besides * kInputsOfStage) *
                      static_cast<double>(setting.blocks);
  const bool are_weights_kept = keeps_weights(group);
  work.launches += are_weights_kept ? 0 : 1;
  work.blocks = tiles * of_channels * setting.blocks;
  work.blocks_per_multiprocessor = setting.groups == 1 ? 2 : 1;
  // Slices are copied while others are multiplied: no thread waits for memory.
  work.threads_per_block = static_cast<int>(kThreadsThatSaturate) / work.blocks_per_multiprocessor;
  work.peak_share = setting.is_exact() ? exact_share(setting) : peak_share_of_channels(setting.channels);
  work.bandwidth_share = 0.87;
  const double input = kFloatBytes * static_cast<double>(places_of(problem) * problem.groups * problem.depth());
  const double read_again = static_cast<double>(of_channels / problem.groups - 1) * input +
                            (keeps_weights(problem, setting) ? 0 : static_cast<double>(tiles) * weights);
  work.extra_bytes += (are_weights_kept ? 0 : 2 * weights) + kFromCache * read_again;
  add_serial_work(problem, setting, layout, are_weights_kept, work);
  add_waiting_work(group, static_cast<double>(setting.channels) / 4, work);
}

}  // namespace stitch::kernels

// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/direct.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

constexpr std::array kDirectSettings = {
    NamedSetting<int64_t>{"direct_64", 64},
    NamedSetting<int64_t>{"direct_32", 32},
    NamedSetting<int64_t>{"direct_16", 16},
    NamedSetting<int64_t>{"direct_8", 8},
};

// As the skeleton has them.
constexpr int64_t kThreads = 256;
constexpr int64_t kFewestThreads = 64;
constexpr int64_t kChannelsOfThread = 8;
constexpr int64_t kSharedFloats = 12032;

// Elements under `outputs` neighbouring outputs along one axis.
int64_t extent_under(const WindowNumbers& window, size_t axis, int64_t outputs) {
  return (outputs - 1) * window.stride[axis] + (window.kernel[axis] - 1) * window.dilation[axis] + 1;
}

int64_t patch_elements(const WindowNumbers& window, int64_t rows) {
  const size_t y = window.axes() - 2;
  const int64_t planes = y > 0 ? window.kernel[0] : 1;
  return planes * extent_under(window, y, rows) * extent_under(window, y + 1, kDirectColumns);
}

int64_t rows_of(int64_t threads, int64_t channels) {
  return kDirectRowsOfThread * threads / kDirectColumns * kChannelsOfThread / channels;
}

// Of a block. Where a tile is higher than all outputs it has fewer, if that leaves a fifth less of its rows empty.
int64_t threads_of(const ConvolutionProblem& problem, int64_t channels) {
  constexpr double kWorthIt = 0.8;
  const int64_t height = problem.out[problem.window.axes() - 2];
  const auto padded = [&](int64_t threads) {
    const int64_t rows = rows_of(threads, channels);
    return static_cast<double>((height + rows - 1) / rows * rows);
  };
  int64_t best = kThreads;
  if (height >= rows_of(kThreads, channels)) {
    return best;
  }
  for (int64_t threads = kThreads / 2; threads >= kFewestThreads && rows_of(threads, channels) >= kDirectRowsOfThread;
       threads /= 2) {
    best = padded(threads) <= kWorthIt * padded(best) ? threads : best;
  }
  return best;
}

bool has_room(const ConvolutionProblem& problem, int64_t channels) {
  constexpr int64_t kPadding = 4;
  constexpr int64_t kStages = 2;
  const WindowNumbers& window = problem.window;
  return kStages * (patch_elements(window, direct_rows(problem, channels)) + window.taps() * (channels + kPadding)) <=
         kSharedFloats;
}

// Of the peak: the multiply-adds among all instructions of a stage of two input channels, as counted in the compiled
// kernel, times what was reached of that on an H200 (bench/kernels/conv_bench.cu: 0.46 to 0.52; volumes 0.57).
double peak_share(const ConvolutionProblem& problem, int64_t channels) {
  constexpr double kOfImages = 0.48, kOfVolumes = 0.55;
  constexpr double kOfElement = 30;  // address, bounds and copy
  constexpr double kOfWeight = 8;
  constexpr double kOfStage = 60;  // waits and loop
  constexpr int64_t kStageChannels = 2;
  const auto at_least_one = [](int64_t count, int64_t at_a_time) {
    return static_cast<double>((count + at_a_time - 1) / at_a_time);
  };
  const WindowNumbers& window = problem.window;
  const int64_t threads = threads_of(problem, channels);
  const size_t y = window.axes() - 2;
  const int64_t columns_of_taps = kStageChannels * window.taps() / window.kernel[y];
  const auto taps = static_cast<double>(kStageChannels * window.taps());
  const double adds = static_cast<double>(kDirectRowsOfThread * kChannelsOfThread) * taps;
  const double loads = static_cast<double>(columns_of_taps * extent_under(window, y, kDirectRowsOfThread)) + 2 * taps;
  const double copies =
      kOfElement * at_least_one(kStageChannels * patch_elements(window, rows_of(threads, channels)), threads) +
      kOfWeight * static_cast<double>(channels / kChannelsOfThread) *
          at_least_one(kStageChannels * window.taps(), kDirectColumns);
  return (y > 0 ? kOfVolumes : kOfImages) * adds / (adds + loads + copies + kOfStage);
}

}  // namespace

int64_t direct_rows(const ConvolutionProblem& problem, int64_t channels) {
  return rows_of(threads_of(problem, channels), channels);
}

bool allows_direct(const ConvolutionProblem& problem, int64_t channels) {
  constexpr int64_t kMaxTaps = 64;  // written out one by one
  return !problem.transposed && problem.groups == 1 && problem.window.taps() <= kMaxTaps && has_room(problem, channels);
}

std::vector<Setting> direct_settings(const ConvolutionProblem& problem) {
  return settings_where(kDirectSettings, [&](int64_t channels) {
    return channels < problem.out_channels + kChannelsOfThread && allows_direct(problem, channels);
  });
}

std::optional<int64_t> direct_channels(const Setting& setting) {
  return is_named(kDirectSettings, setting.variant) && setting.splits == 1
             ? std::optional(meaning_of(kDirectSettings, setting))
             : std::nullopt;
}

std::string direct_tile(const ConvolutionProblem& problem, int64_t channels) {
  const int64_t threads = threads_of(problem, channels);
  return threads == kThreads ? fmt::format("stitch::DirectTile<{}>", channels)
                             : fmt::format("stitch::DirectTile<{}, {}>", channels, threads);
}

void add_direct_work(const ConvolutionProblem& problem, int64_t channels, Work& work) {
  constexpr double kBytesOfFloat = 4;
  const size_t y = problem.window.axes() - 2;
  const auto tiles = [](int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; };
  const int64_t rows = direct_rows(problem, channels);
  const int64_t threads = threads_of(problem, channels);
  const int64_t places = problem.batch * (y > 0 ? problem.out[0] : 1) * tiles(problem.out[y], rows) *
                         tiles(problem.out[y + 1], kDirectColumns);
  const int64_t blocks_of_channels = tiles(problem.out_channels, channels);
  const auto depth = static_cast<double>(problem.depth());
  work.flops = 2.0 * static_cast<double>(problem.outputs()) * depth;
  work.padded_flops = 2.0 * static_cast<double>(places * rows * kDirectColumns * blocks_of_channels * channels) * depth;
  work.blocks = places * blocks_of_channels;
  work.blocks_per_multiprocessor = static_cast<int>(2 * kThreads / threads);
  work.threads_per_block = static_cast<int>(threads);
  work.peak_share = peak_share(problem, channels);
  work.bandwidth_share = 0.8;
  // What blocks beside and behind each other read again.
  const double patches = kBytesOfFloat * static_cast<double>(places * blocks_of_channels * problem.in_channels) *
                         static_cast<double>(patch_elements(problem.window, rows));
  int64_t elements = problem.batch * problem.in_channels;
  for (const int64_t extent : problem.in) {
    elements *= extent;
  }
  constexpr double kFromCache = 0.3;  // of the time that reading it from memory would take
  work.extra_bytes = kFromCache * std::max(0.0, patches - kBytesOfFloat * static_cast<double>(elements));
}

}  // namespace stitch::kernels

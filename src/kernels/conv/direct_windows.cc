// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/direct_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

constexpr std::array kDirectWindowsSettings = {
    NamedSetting<DirectWindowsSetting>{"direct_windows_fp16x3_32x8", {32, 8}},
    NamedSetting<DirectWindowsSetting>{"direct_windows_fp16x3_32x4", {32, 4}},
    NamedSetting<DirectWindowsSetting>{"direct_windows_fp16x3_24x8", {24, 8}},
    NamedSetting<DirectWindowsSetting>{"direct_windows_fp16x3_24x4", {24, 4}},
    NamedSetting<DirectWindowsSetting>{"direct_windows_fp16x3_16x8", {16, 8}},
    NamedSetting<DirectWindowsSetting>{"direct_windows_fp16x3_16x4", {16, 4}},
    NamedSetting<DirectWindowsSetting>{"direct_windows_fp16x3_8x8", {8, 8}},
    NamedSetting<DirectWindowsSetting>{"direct_windows_fp16x3_8x4", {8, 4}},
};

// As the skeleton has them.
constexpr int64_t kChannelsOfEight = 8;
constexpr int64_t kWindowsTogether = 8;  // of a warp
constexpr int64_t kOutputsTogether = 4;  // of a window
constexpr int64_t kWarpsOfWindows = 8;   // of a block
constexpr int64_t kElementsOfCopy = 4;   // that are copied together
constexpr int64_t kWordsOfSlice = 8;
constexpr int64_t kSliceOfWindows = 16;  // of K
constexpr int64_t kBanksOfWords = 32;
constexpr int64_t kWordBytes = 4;
constexpr int64_t kRoomOfWindows = 227 << 10;
constexpr int64_t kReservedOfWindows = 1 << 10;
constexpr int64_t kMultiprocessorsOfWindows = 132;
constexpr int64_t kMostChannelsOfBlock = 32;
constexpr int64_t kMostElementsOfWindow = 4096;

int64_t ceil_of(int64_t number, int64_t divisor) { return (number + divisor - 1) / divisor; }

int64_t up_to(int64_t number, int64_t multiple) { return ceil_of(number, multiple) * multiple; }

int64_t up_to_rest(int64_t number, int64_t rest, int64_t modulus) {
  return number + ((rest - number) % modulus + modulus) % modulus;
}

// Images, and windows along z, y and x.
struct WindowsOfPatch {
  int64_t images;
  std::array<int64_t, 3> windows;

  int64_t count() const { return images * windows[0] * windows[1] * windows[2]; }
};

// Lanes that share a window: as many as its row may be cut into, but for those that had too few outputs.
int64_t lanes_of_window(const JoinChain& chain) {
  constexpr int64_t kMostLanes = 8;
  const int64_t width = chain.window[2];
  const int64_t most = std::min(kMostLanes, width & -width);
  return most == 1 || chain.elements() / most >= kOutputsTogether ? most : most / 2;
}

// Along z, y and x, whatever the problem's axes are.
struct WindowAxis {
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;

  int64_t under(int64_t outputs) const { return (outputs - 1) * stride + (kernel - 1) * dilation + 1; }
};

WindowAxis window_axis(const ConvolutionProblem& problem, size_t axis) {
  constexpr size_t kAxes = 3;
  const size_t missing = kAxes - problem.window.axes();
  if (axis < missing) {
    return {};
  }
  const size_t own = axis - missing;
  return {problem.window.kernel[own], problem.window.stride[own], problem.window.dilation[own]};
}

// What a block has in shared memory, and multiplies of a patch.
struct WindowsPatch {
  WindowsOfPatch of;
  int64_t slices;    // of K
  int64_t words;     // of two elements each, of a pixel
  int64_t elements;  // of one input channel
  int64_t eights;    // of windows
  int64_t shared_bytes;
  int64_t resident;  // blocks of a multiprocessor

  WindowsPatch(const ConvolutionProblem& problem, const JoinChain& chain, const DirectWindowsSetting& setting,
               const WindowsOfPatch& of_patch)
      : of(of_patch) {
    constexpr int64_t kParts = 2, kMarks = 64, kNearer = kElementsOfCopy;
    const auto under = [&](size_t axis) {
      return window_axis(problem, axis).under(of.windows[axis] * chain.window[axis]);
    };
    words = ceil_of(problem.in_channels, 2);
    const int64_t taps_x = problem.window.kernel.back();
    const int64_t of_row = problem.in_channels / 2 * taps_x + problem.in_channels % 2 * ceil_of(taps_x, 2);
    slices = ceil_of(problem.window.taps() / taps_x * of_row, kWordsOfSlice);
    const int64_t lead = (kElementsOfCopy - problem.window.padding.back() % kElementsOfCopy) % kElementsOfCopy;
    const int64_t width = up_to(lead + under(2), kElementsOfCopy);
    const int64_t planes = of.images * under(0);
    elements = planes * under(1) * width;
    const int64_t to_half = up_to_rest(width, kBanksOfWords / 2, kBanksOfWords) - width;
    const bool is_near = to_half < kNearer || to_half >= kBanksOfWords - kNearer;
    const int64_t pitch = is_near ? width : width + to_half - kNearer;
    const WindowAxis rows = window_axis(problem, 1);
    const int64_t plane = up_to_rest(under(1) * pitch, rows.kernel * rows.dilation * pitch, kBanksOfWords);
    const int64_t apart = words > 2 ? kBanksOfWords / 4 : kBanksOfWords / 2;
    const int64_t split = kParts * words * up_to_rest(planes * plane, apart, kBanksOfWords);
    const int64_t weights = slices * setting.channels / kChannelsOfEight * 2 * kBanksOfWords * kWordBytes * kParts;
    const int64_t lanes = lanes_of_window(chain);
    eights = ceil_of(of.count() * lanes, kWindowsTogether);
    shared_bytes = weights + split * kWordBytes + problem.in_channels * elements * kWordBytes +
                   (slices * kWordsOfSlice + chain.elements() / lanes + setting.channels + kMarks) * kWordBytes;
    constexpr int64_t kMostResident = 2;  // as registers have room
    resident = std::clamp(kRoomOfWindows / (shared_bytes + kReservedOfWindows), int64_t{1}, kMostResident);
  }

  bool has_room() const { return shared_bytes <= kRoomOfWindows; }
};

int64_t patches_of_image(const JoinChain& chain, const WindowsOfPatch& of) {
  return ceil_of(chain.counts[0], of.windows[0]) * ceil_of(chain.counts[1], of.windows[1]) *
         ceil_of(chain.counts[2], of.windows[2]);
}

// Microseconds of a multiprocessor for a patch. Of 32 outputs a slice takes what direct_fp16x3 takes for as many
// products, or reading its operands from shared memory where tiles are few; promoting, finishing and joining a tile's
// sums, and a softmax of them, as many instructions as the compiled kernel has, four of which begin in a cycle; and
// splitting an element what it takes there. No join has been measured yet, so that all is taken to be somewhat slower.
double microseconds_of(const JoinChain& chain, const DirectWindowsSetting& setting, const WindowsPatch& patch) {
  constexpr double kOfTile = 0.0063, kOfNeighbours = 0.0106, kOfPixels = 0.0176, kOfWeights = 0.0022;
  constexpr double kOfLine = 0.01, kOfJoinedTile = 0.01, kOfSoftmax = 0.015, kOfSoftenedTile = 0.016;
  constexpr double kOfElement = 0.0002, kOfAlone = 1.2, kOfPatch = 0.3;
  const auto tiles = static_cast<double>(setting.channels / kChannelsOfEight);
  // Lanes that have outputs apart from each other meet in banks.
  const bool are_neighbours = chain.window[2] == lanes_of_window(chain);
  const double slice = std::max(kOfTile * tiles, (are_neighbours ? kOfNeighbours : kOfPixels) + kOfWeights * tiles);
  const double softmax = kOfSoftmax + kOfSoftenedTile * tiles;
  const double line = static_cast<double>(patch.slices) * slice + kOfLine + kOfJoinedTile * tiles +
                      (chain.before != nullptr ? softmax : 0.0);
  const int64_t of_lane = chain.elements() / lanes_of_window(chain);
  const double lines = static_cast<double>(up_to(of_lane, 2)) / static_cast<double>(kOutputsTogether);
  // Warps of a block alone wait for the one with most windows.
  const int64_t eights = patch.resident == 1 ? up_to(patch.eights, kWarpsOfWindows) : patch.eights;
  // What is left is a quarter of what four outputs of a window were.
  const double stored = kOfLine + kOfJoinedTile * tiles +
                        (chain.behind != nullptr ? softmax / static_cast<double>(kOutputsTogether) : 0.0);
  constexpr double kUnmeasured = 1.1;
  return kUnmeasured * (static_cast<double>(eights) * (lines * line + stored) +
                        kOfElement * static_cast<double>(patch.elements * 2 * patch.words) +
                        (patch.resident == 1 ? kOfAlone : kOfPatch));
}

// Extents worth trying along an axis that has so many windows; patches across begin where four elements do, as
// `step` windows do.
std::vector<int64_t> extents_to_try(int64_t count, int64_t step) {
  constexpr std::array<int64_t, 14> kTried = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32};
  std::vector<int64_t> extents = {count};
  for (const int64_t extent : kTried) {
    if (extent < count && extent % step == 0) {
      extents.push_back(extent);
    }
  }
  return extents;
}

int64_t step_of_fours(const ConvolutionProblem& problem, const JoinChain& chain) {
  const int64_t elements = chain.window[2] * window_axis(problem, 2).stride;
  return elements % kElementsOfCopy == 0 ? 1 : (elements % 2 == 0 ? 2 : kElementsOfCopy);
}

// All patches of an image, and of some images together.
std::vector<WindowsOfPatch> patches_to_try(const ConvolutionProblem& problem, const JoinChain& chain) {
  constexpr int64_t kMostImages = 8;
  std::vector<WindowsOfPatch> patches;
  for (const int64_t deep : extents_to_try(chain.counts[0], 1)) {
    for (const int64_t down : extents_to_try(chain.counts[1], 1)) {
      for (const int64_t across : extents_to_try(chain.counts[2], step_of_fours(problem, chain))) {
        patches.push_back({1, {deep, down, across}});
      }
    }
  }
  for (int64_t images = 2; images <= kMostImages; ++images) {
    patches.push_back({images, chain.counts});
  }
  return patches;
}

// The one that takes least of an image for which a block has room, if any. Which one it is does not depend on the
// batch, since a program's code does not.
std::optional<WindowsPatch> windows_patch_for(const ConvolutionProblem& problem, const JoinChain& chain,
                                              const DirectWindowsSetting& setting) {
  std::optional<WindowsPatch> best;
  double least = 0;
  for (const WindowsOfPatch& of : patches_to_try(problem, chain)) {
    const WindowsPatch patch(problem, chain, setting, of);
    if (!patch.has_room()) {
      continue;
    }
    const double taken = static_cast<double>(patches_of_image(chain, of)) * microseconds_of(chain, setting, patch) /
                         static_cast<double>(of.images);
    if (!best.has_value() || taken < least) {
      best = patch;
      least = taken;
    }
  }
  return best;
}

}  // namespace

bool allows_direct_windows(const ConvolutionProblem& problem, const JoinChain& chain,
                           const DirectWindowsSetting& setting) {
  constexpr int64_t kMostElements = int64_t{1} << 31;
  int64_t plane = 1;
  for (const int64_t extent : problem.in) {
    plane *= extent;
  }
  const bool has_windows = chain.counts[0] > 0 && chain.counts[1] > 0 && chain.counts[2] > 0;
  return !problem.transposed && problem.groups == 1 && problem.in_channels <= setting.input_channels &&
         problem.window.axes() >= 2 && plane < kMostElements && has_windows &&
         chain.elements() <= kMostElementsOfWindow &&
         (!chain.has_softmax() || problem.out_channels <= setting.channels) &&
         windows_patch_for(problem, chain, setting).has_value();
}

std::vector<Setting> direct_windows_settings(const ConvolutionProblem& problem, const JoinChain& chain,
                                             const DeviceLimits& limits) {
  return settings_where(kDirectWindowsSettings, [&](const DirectWindowsSetting& setting) {
    // More channels than the widest block has are of several, each of which splits the same patches.
    const bool is_wide = setting.channels == kMostChannelsOfBlock && problem.out_channels <= 2 * kMostChannelsOfBlock;
    const bool is_filled = setting.input_channels < problem.in_channels + kElementsOfCopy &&
                           setting.channels < problem.out_channels + kChannelsOfEight &&
                           (problem.out_channels <= setting.channels || is_wide);
    return is_filled && chain.elements() > 1 && allows_direct_windows(problem, chain, setting) &&
           windows_patch_for(problem, chain, setting)->shared_bytes <= limits.shared_bytes_per_block;
  });
}

std::optional<DirectWindowsSetting> direct_windows_setting(const Setting& setting) {
  return is_named(kDirectWindowsSettings, setting.variant) && setting.splits == 1
             ? std::optional(meaning_of(kDirectWindowsSettings, setting))
             : std::nullopt;
}

std::string direct_windows_tile(const ConvolutionProblem& problem, const JoinChain& chain,
                                const DirectWindowsSetting& setting) {
  const WindowsOfPatch of = windows_patch_for(problem, chain, setting)->of;
  const int64_t of_lane = chain.elements() / lanes_of_window(chain);
  return fmt::format("stitch::DirectWindowsTile<stitch::PooledWindow<{}, {}, {}>, {}, {}, {}, {}, {}, {}, {}, {}>",
                     chain.window[0], chain.window[1], chain.window[2], setting.channels / kChannelsOfEight,
                     kWarpsOfWindows, problem.in_channels, std::min(kOutputsTogether, up_to(of_lane, 2)), of.images,
                     of.windows[0], of.windows[1], of.windows[2]);
}

void describe_direct_windows(StepBuilder& step, const JoinChain& chain) {
  step.describe(
      "Access: a block keeps its channels' weights in shared memory and takes patches of whole windows of the input "
      "there, both in two fp16 parts: a patch is split once, and its windows are never gathered.");
  step.describe("A warp multiplies all outputs of eight windows, four of each at a time, and joins them in registers{}",
                chain.has_softmax() ? "; four lanes have all channels of an output, and soften them." : ".");
  step.describe(
      "Bound: three fp16 products for each of fp32. What two parts do not hold is summed up in fp32: nothing but what "
      "is left of the windows is stored.");
}

void add_direct_windows_work(const ConvolutionProblem& problem, const JoinChain& chain,
                             const DirectWindowsSetting& setting, Work& work) {
  constexpr double kProducts = 3, kBandwidthShare = 0.85, kFromCache = 0.3;
  constexpr int64_t kThreadsOfWarp = 32;
  const WindowsPatch patch = *windows_patch_for(problem, chain, setting);
  const int64_t patches = ceil_of(problem.batch, patch.of.images) * patches_of_image(chain, patch.of);
  const int64_t blocks_of_channels = ceil_of(problem.out_channels, setting.channels);
  const int64_t all = patches * blocks_of_channels;
  work.pipe = Pipe::kFp16;
  const int64_t windows = chain.counts[0] * chain.counts[1] * chain.counts[2] * chain.elements();
  work.flops = 2.0 * kProducts * static_cast<double>(problem.batch * problem.out_channels * windows) *
               static_cast<double>(problem.depth());
  work.padded_flops = 2.0 * kProducts * static_cast<double>(all * patch.eights * kWindowsTogether) *
                      static_cast<double>(chain.elements() / lanes_of_window(chain)) *
                      static_cast<double>(setting.channels * patch.slices * kSliceOfWindows);
  const int64_t of_block = ceil_of(all, kMultiprocessorsOfWindows * patch.resident);
  work.blocks = ceil_of(patches, of_block) * blocks_of_channels;
  work.blocks_per_multiprocessor = static_cast<int>(patch.resident);
  work.threads_per_block = static_cast<int>(kWarpsOfWindows * kThreadsOfWarp);
  // What an H200's multiprocessor multiplies meanwhile.
  constexpr double kFlopsOfMicrosecond = 989.0e6 / kMultiprocessorsOfWindows;
  work.peak_share =
      work.padded_flops / kFlopsOfMicrosecond / (static_cast<double>(all) * microseconds_of(chain, setting, patch));
  work.bandwidth_share = kBandwidthShare;
  // What blocks beside and behind each other read again.
  const double read = static_cast<double>(all * problem.in_channels * patch.elements * kWordBytes);
  int64_t elements = problem.batch * problem.in_channels;
  for (const int64_t extent : problem.in) {
    elements *= extent;
  }
  work.extra_bytes = kFromCache * std::max(0.0, read - static_cast<double>(elements * kWordBytes));
  // Until a block has split its weights nothing is multiplied: a few microseconds, as bytes that memory would read.
  constexpr double kBytesOfWeights = 20e6;
  work.serial_bytes += kBytesOfWeights;
}

}  // namespace stitch::kernels

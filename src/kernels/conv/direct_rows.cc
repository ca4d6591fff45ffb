// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/direct_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

constexpr std::array kDirectRowsSettings = {
    NamedSetting<DirectRowsSetting>{"direct_rows_fp16x3_64x8", {8}},
    NamedSetting<DirectRowsSetting>{"direct_rows_fp16x3_64x4", {4}},
};

// As the skeleton has them.
constexpr int64_t kChannelsOfRows = 64;
constexpr int64_t kPlaceBytes = 16;
constexpr int64_t kSliceBytes = 4096;
constexpr int64_t kHalvesOfPlace = 8;
constexpr int64_t kPairOfChannels = 4;  // input channels, of which a place has those of two elements
constexpr int64_t kMostSlices = 16;
constexpr int64_t kLongProduct = 128;
constexpr int64_t kShortProduct = 64;
constexpr int64_t kRunOfCopy = 4;
constexpr int64_t kFloat = 4;
constexpr int64_t kRoomOfOne = 227 << 10;
constexpr int64_t kRoomOfTwo = (227 << 10) / 2 - 1024;
constexpr int64_t kMultiprocessorsOfRows = 132;

int64_t parts_of(int64_t extent, int64_t part) { return (extent + part - 1) / part; }

int64_t extended_to(int64_t extent, int64_t multiple) { return parts_of(extent, multiple) * multiple; }

// Warpgroups of a block, and the outputs of its patch along z and y.
struct RowsTile {
  int64_t groups;
  int64_t depth;
  int64_t rows;
};

// What a block has in shared memory of a problem, and multiplies of a patch.
struct RowsPatch {
  RowsTile tile;
  int64_t slices;    // of K
  int64_t columns;   // places of a product
  int64_t products;  // of a patch
  int64_t places;    // of the input under it
  int64_t raw;       // elements that are copied of an input channel
  int64_t shared_bytes;

  RowsPatch(const ConvolutionProblem& problem, const DirectRowsSetting& setting, const RowsTile& of_patch,
            const PooledWindow& pooled)
      : tile(of_patch) {
    constexpr int64_t kStagedOfWarp = 8 * 136 * kFloat, kMarks = 4, kParts = 2, kWarpsOfGroup = 4;
    const WindowNumbers& window = problem.window;
    const size_t y = window.axes() - 2;
    const int64_t taps_z = y > 0 ? window.kernel[0] : 1;
    const int64_t places_of_row =
        setting.input_channels == kPairOfChannels ? parts_of(window.kernel[y + 1], 2) : window.kernel[y + 1];
    slices = parts_of(taps_z * window.kernel[y] * places_of_row, 2);
    columns = slices <= kMostSlices && !pooled.is_pooled() ? kLongProduct : kShortProduct;
    const int64_t pitch = pitch_of(problem);
    const int64_t in_depth = y > 0 ? (tile.depth - 1) * window.stride[0] + (taps_z - 1) * window.dilation[0] + 1 : 1;
    const int64_t in_rows = tile.rows + (window.kernel[y] - 1) * window.dilation[y];
    const int64_t plane = in_rows * pitch;
    const int64_t width = problem.out[y + 1];
    const int64_t of_all = parts_of((tile.rows - 1) * pitch + width, columns);
    const int64_t of_rows = tile.rows * parts_of(width, columns);
    const bool is_by_rows = pooled.is_pooled() || of_rows <= of_all;
    products = tile.depth * (is_by_rows ? of_rows : of_all);
    places = in_depth * plane;
    const int64_t lead = (kRunOfCopy - window.padding[y + 1] % kRunOfCopy) % kRunOfCopy;
    raw = in_depth * in_rows * extended_to(lead + pitch, kRunOfCopy);
    const int64_t warps = kWarpsOfGroup * tile.groups;
    // The last product may hang over.
    const int64_t of_row = is_by_rows ? of_rows / tile.rows : 0;
    const int64_t last = products / tile.depth - 1;
    const int64_t last_place = of_row == 0 ? last * columns : last / of_row * pitch + last % of_row * columns;
    const int64_t last_tap = (in_depth - 1 - (y > 0 ? (tile.depth - 1) * window.stride[0] : 0)) * plane +
                             (in_rows - tile.rows) * pitch + (window.kernel[y + 1] - 1) * window.dilation[y + 1];
    const int64_t read = (y > 0 ? (tile.depth - 1) * window.stride[0] : 0) * plane + last_place + columns + last_tap;
    shared_bytes = slices * kSliceBytes + kParts * std::max(places, read) * kPlaceBytes +
                   (pooled.is_stored() ? warps * kStagedOfWarp : 0) + kChannelsOfRows * kFloat +
                   (warps + kMarks) * kFloat + problem.in_channels * raw * kFloat;
  }

  int64_t room() const { return tile.groups > 2 ? kRoomOfOne : kRoomOfTwo; }
  int64_t resident() const { return tile.groups > 2 ? 1 : 2; }

 private:
  int64_t pitch_of(const ConvolutionProblem& problem) const {
    constexpr int64_t kShortest = 8;
    const WindowNumbers& window = problem.window;
    const int64_t even = extended_to(problem.out.back() + (window.kernel.back() - 1) * window.dilation.back(), 2);
    return std::max(even, kShortest);
  }
};

int64_t patches_of_rows(const ConvolutionProblem& problem, const RowsPatch& patch) {
  const size_t y = problem.window.axes() - 2;
  return problem.batch * parts_of(y > 0 ? problem.out[0] : 1, patch.tile.depth) *
         parts_of(problem.out[y], patch.tile.rows);
}

// Microseconds of a multiprocessor for all of a problem's patches by a block's channels. Measured on an H200
// (bench/kernels/conv_direct_bench.cu, eleven patches of five problems within 8 %): storing takes longest of a product,
// and splitting as long as some of them. Where two blocks take turns, neither waits for the other. Sums of planes, not
// measured yet, are taken to be as slow as windows were in level2/82 of KernelBench.
double microseconds_of(const ConvolutionProblem& problem, const DirectRowsSetting& setting, const RowsPatch& patch,
                       const PooledWindow& pooled) {
  constexpr double kOfProduct = 1.2, kOfPooled = 0.8, kOfPlane = 0.95, kOfSlice = 0.037, kOfPooledSlice = 0.12;
  constexpr double kOfPlace = 0.0036, kOfPatch = 1.6;
  const double of_slices = (pooled.is_stored() ? kOfSlice : kOfPooledSlice) * static_cast<double>(patch.slices);
  const double of_places = pooled.is_stored() ? kOfProduct : (pooled.is_plane ? kOfPlane : kOfPooled);
  const double product =
      (of_places + of_slices) * static_cast<double>(patch.columns) / static_cast<double>(kLongProduct);
  const double split = kOfPlace * static_cast<double>(patch.places * setting.input_channels) / kHalvesOfPlace;
  return static_cast<double>(patches_of_rows(problem, patch)) *
         (static_cast<double>(patch.products) * product + split + (patch.resident() > 1 ? 0.0 : kOfPatch));
}

// The fastest for which a block has room, if any.
std::optional<RowsPatch> rows_patch_for(const ConvolutionProblem& problem, const DirectRowsSetting& setting,
                                        const PooledWindow& pooled) {
  std::optional<RowsPatch> best;
  double least = 0;
  const bool is_spatial = problem.window.axes() > 2;
  const int64_t rows_together = pooled.is_pooled() ? pooled.rows : 1;
  for (const int64_t groups : {2, 4}) {
    for (const int64_t depth : {1, 2, 4}) {
      for (const int64_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24}) {
        if ((depth > 1 && !is_spatial) || rows % rows_together != 0) {
          continue;
        }
        const RowsPatch patch(problem, setting, {groups, depth, rows}, pooled);
        const double taken = microseconds_of(problem, setting, patch, pooled);
        if (patch.shared_bytes <= patch.room() && (!best.has_value() || taken < least)) {
          best = patch;
          least = taken;
        }
      }
    }
  }
  return best;
}

}  // namespace

bool allows_direct_rows(const ConvolutionProblem& problem, const DirectRowsSetting& setting,
                        const PooledWindow& pooled) {
  constexpr int64_t kMostElements = int64_t{1} << 31, kWidest = 1 << 12;
  const WindowNumbers& window = problem.window;
  if (problem.transposed || problem.groups != 1 || problem.in_channels > setting.input_channels || window.axes() < 2) {
    return false;
  }
  const bool is_taken = !pooled.is_pooled() || pooled.columns == 2 || pooled.columns == 4 || pooled.columns == 8;
  if (!is_taken || (pooled.is_pooled() && window.axes() != 2)) {
    return false;
  }
  const size_t y = window.axes() - 2;
  int64_t plane = 1;
  for (const int64_t extent : problem.in) {
    plane *= extent;
  }
  const bool is_stepped = window.stride[y] != 1 || window.stride[y + 1] != 1;
  return !is_stepped && plane < kMostElements && problem.out.back() <= kWidest &&
         rows_patch_for(problem, setting, pooled).has_value();
}

std::vector<Setting> direct_rows_settings(const ConvolutionProblem& problem, const DeviceLimits& limits,
                                          const PooledWindow& pooled) {
  return settings_where(kDirectRowsSettings, [&](const DirectRowsSetting& setting) {
    const bool is_filled =
        setting.input_channels < problem.in_channels + kPairOfChannels && kChannelsOfRows < 2 * problem.out_channels;
    return limits.architecture == "sm_90a" && is_filled && allows_direct_rows(problem, setting, pooled);
  });
}

std::optional<DirectRowsSetting> direct_rows_setting(const Setting& setting) {
  return is_named(kDirectRowsSettings, setting.variant) && setting.splits == 1
             ? std::optional(meaning_of(kDirectRowsSettings, setting))
             : std::nullopt;
}

std::string direct_rows_arguments(const ConvolutionProblem& problem, const DirectRowsSetting& setting,
                                  const PooledWindow& pooled) {
  const RowsTile tile = rows_patch_for(problem, setting, pooled)->tile;
  if (pooled.is_pooled()) {
    return fmt::format("stitch::DirectRowsPoolTile<{}, {}, {}>, Window", tile.groups, setting.input_channels,
                       tile.rows);
  }
  return fmt::format("stitch::DirectRows{}Tile<{}, {}, {}, {}>, Window", pooled.is_plane ? "Mean" : "", tile.groups,
                     setting.input_channels, tile.depth, tile.rows);
}

int64_t direct_rows_parts_of_plane(const ConvolutionProblem& problem, const DirectRowsSetting& setting) {
  const RowsPatch patch = *rows_patch_for(problem, setting, {.is_plane = true});
  return patches_of_rows(problem, patch) / problem.batch * patch.tile.groups;
}

int64_t direct_rows_parts(const ConvolutionProblem& problem, const DirectRowsSetting& setting, bool by_image) {
  const RowsPatch patch = *rows_patch_for(problem, setting, {});
  const int64_t blocks =
      by_image ? patches_of_rows(problem, patch) / problem.batch : kMultiprocessorsOfRows * patch.resident();
  return blocks * patch.tile.groups;
}

void describe_direct_rows(StepBuilder& step, const PooledWindow& pooled) {
  step.describe(
      "Access: a block keeps its channels' weights in shared memory and takes patches of whole rows of the input "
      "there, "
      "both in two fp16 parts; tensor cores read them as they lie, each tap some places further.");
  if (pooled.is_plane) {
    step.describe(
        "A warpgroup adds up what it has of a patch where the tensor cores leave it; a second launch adds these "
        "parts.");
  } else {
    step.describe("{}", pooled.is_pooled()
                            ? "A warpgroup multiplies the rows of its windows one after the other and joins them in "
                              "registers: nothing else is stored."
                            : "Outputs are stored as pieces of memory that reach over the ends of rows.");
  }
  step.describe(
      "Bound: three fp16 products for each of fp32, or writing the outputs where channels are few. What two parts do "
      "not hold is summed up in fp32.");
}

void add_direct_rows_work(const ConvolutionProblem& problem, const DirectRowsSetting& setting, Work& work,
                          const PooledWindow& pooled) {
  constexpr double kProducts = 3, kBandwidthShare = 0.7, kFromCache = 0.3;
  constexpr int64_t kThreadsOfGroup = 128;
  const RowsPatch patch = *rows_patch_for(problem, setting, pooled);
  const int64_t patches = patches_of_rows(problem, patch);
  const int64_t blocks_of_channels = parts_of(problem.out_channels, kChannelsOfRows);
  work.pipe = Pipe::kFp16;
  work.flops = 2.0 * kProducts * static_cast<double>(problem.outputs()) * static_cast<double>(problem.depth());
  work.padded_flops = 2.0 * kProducts * static_cast<double>(patches * patch.products * patch.columns) *
                      static_cast<double>(blocks_of_channels * kChannelsOfRows * patch.slices * 2 * kHalvesOfPlace);
  const int64_t of_block = parts_of(patches * blocks_of_channels, kMultiprocessorsOfRows * patch.resident());
  work.blocks = parts_of(patches, of_block) * blocks_of_channels;
  work.blocks_per_multiprocessor = static_cast<int>(patch.resident());
  work.threads_per_block = static_cast<int>(patch.tile.groups * kThreadsOfGroup);
  // What an H200's multiprocessor multiplies meanwhile.
  constexpr double kFlopsOfMicrosecond = 989.0e6 / kMultiprocessorsOfRows;
  work.peak_share = work.padded_flops / static_cast<double>(blocks_of_channels) / kFlopsOfMicrosecond /
                    microseconds_of(problem, setting, patch, pooled);
  work.bandwidth_share = kBandwidthShare;
  // What blocks below and behind each other read again.
  const double read = static_cast<double>(patches * blocks_of_channels * problem.in_channels * patch.raw * kFloat);
  int64_t elements = problem.batch * problem.in_channels;
  for (const int64_t extent : problem.in) {
    elements *= extent;
  }
  work.extra_bytes = kFromCache * std::max(0.0, read - static_cast<double>(elements * kFloat));
  // Until a block has split its weights nothing is multiplied: a few microseconds, as bytes that memory would read.
  constexpr double kBytesOfWeights = 20e6;
  work.serial_bytes += kBytesOfWeights;
}

}  // namespace stitch::kernels

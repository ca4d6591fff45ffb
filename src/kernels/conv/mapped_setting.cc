// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/mapped_setting.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/conv/depthwise.h"

namespace stitch::kernels {
namespace {

// Of a block: the sums of more leave no registers for what a map needs, nor do the operands of more taps of a row.
constexpr int64_t kMostChannels = 128;
constexpr int64_t kMostTaps = 3;

bool is_depthwise(const ConvolutionSetting& setting) { return setting.method == ConvolutionMethod::kDepthwise; }
bool has_windows(const ConvolutionSetting& setting) { return setting.method == ConvolutionMethod::kWindow; }

int64_t channels_of(const ConvolutionSetting& setting) {
  return has_windows(setting) ? setting.window.channels : setting.pointwise.channels;
}

int64_t elements_of_input(const ConvolutionProblem& problem) {
  int64_t elements = problem.batch * problem.in_channels;
  for (const int64_t extent : problem.in) {
    elements *= extent;
  }
  return elements;
}

// How often a thread reads an element that one thread has: windows of four places beside each other share elements, and
// those below each other read them again.
double reads_of_element(const ConvolutionProblem& problem, const ConvolutionSetting& setting) {
  if (!has_windows(setting)) {
    return 1;
  }
  constexpr int64_t kPlaces = 4;
  const WindowNumbers& window = problem.window;
  const int64_t lead = (kPlaces - window.padding[1] % kPlaces) % kPlaces;
  const int64_t of_row = (lead + (kPlaces - 1) * window.stride[1] + window.kernel[1] + kPlaces - 1) / kPlaces * kPlaces;
  return static_cast<double>(window.kernel[0] * of_row) /
         static_cast<double>(kPlaces * window.stride[0] * window.stride[1]);
}

// Every block of output channels maps what it reads. Beside the map itself its operands are loaded, for four elements
// at once. Few warps share a scheduler with it, and nothing is multiplied meanwhile: measured on an H200 over layers of
// MobileNets and ResNets (bench/kernels/mapped_bench.cu) it takes so many times as long as lanes that are many.
void add_mapping_work(const ConvolutionProblem& problem, const ConvolutionSetting& setting, double operations,
                      Work& work) {
  constexpr double kOperationsOfOperands = 3, kAlone = 3, kAloneOfWindows = 9, kAloneOfDepthwise = 4;
  if (is_depthwise(setting)) {
    const double of_group = kAloneOfDepthwise * static_cast<double>(problem.out_channels / problem.groups);
    work.lane_operations +=
        (of_group * depthwise_reads(problem) - 1) * operations * static_cast<double>(elements_of_input(problem));
    return;
  }
  const int64_t blocks = (problem.rows() + channels_of(setting) - 1) / channels_of(setting);  // of a group
  const double alone = has_windows(setting) ? kAloneOfWindows : kAlone;
  const double reads = alone * static_cast<double>(blocks) * reads_of_element(problem, setting);
  work.lane_operations +=
      (reads * (operations + kOperationsOfOperands) - operations) * static_cast<double>(elements_of_input(problem));
}

}  // namespace

std::vector<Setting> mapped_settings(const ConvolutionProblem& problem, OperandRounding rounding,
                                     const DeviceLimits& limits, bool are_weights_kept) {
  std::vector<Setting> settings = {depthwise_setting()};
  const std::vector<Setting> points = pointwise_settings(problem, rounding, limits, are_weights_kept);
  settings.insert(settings.end(), points.begin(), points.end());
  const std::vector<Setting> windows = window_wgmma_settings(problem, rounding, limits);
  settings.insert(settings.end(), windows.begin(), windows.end());
  settings.erase(std::remove_if(settings.begin(), settings.end(),
                                [&](const Setting& setting) {
                                  const std::optional<ConvolutionSetting> own = mapped_setting(setting);
                                  return !own.has_value() || !allows_mapped(problem, *own, are_weights_kept);
                                }),
                 settings.end());
  return settings;
}

std::optional<ConvolutionSetting> mapped_setting(const Setting& setting) {
  const std::optional<ConvolutionSetting> own = convolution_setting(setting);
  const bool is_mapped =
      own.has_value() && (is_depthwise(*own) || (own->may_keep_weights() && channels_of(*own) <= kMostChannels));
  return is_mapped ? own : std::nullopt;
}

bool allows_mapped(const ConvolutionProblem& problem, const ConvolutionSetting& setting, bool are_weights_kept) {
  if (is_depthwise(setting) || !are_weights_kept) {
    return is_depthwise(setting) && problem.is_depthwise();
  }
  return has_windows(setting) ? allows_window_wgmma(problem, setting.window) && problem.window.kernel[1] <= kMostTaps
                              : allows_pointwise(problem, setting.pointwise, true);
}

std::string mapped_arguments(const ConvolutionSetting& setting) {
  if (is_depthwise(setting)) {
    return "Window";
  }
  return has_windows(setting) ? window_wgmma_arguments(setting.window) : pointwise_arguments(setting.pointwise);
}

void add_mapped_work(const Group& group, const ConvolutionProblem& problem, const ConvolutionSetting& setting,
                     double operations, Work& work) {
  if (is_depthwise(setting)) {
    add_depthwise_work(problem, work);
  } else if (has_windows(setting)) {
    add_window_wgmma_work(group, problem, setting.window, convolution_layout(group), work);
  } else {
    add_pointwise_work(group, problem, setting.pointwise, convolution_layout(group), work);
  }
  add_mapping_work(problem, setting, operations, work);
}

void describe_mapped(StepBuilder& step, const ConvolutionSetting& setting) {
  step.include(fmt::format("kernels/conv/{}.cuh", family_of(setting)));
  if (is_depthwise(setting)) {
    describe_depthwise(step);
  } else if (has_windows(setting)) {
    describe_window_wgmma(step, setting.window);
  } else {
    describe_pointwise(step, setting.pointwise);
  }
  const char* const split = setting.math() == TensorMath::kTf32x3 ? ", before it is split" : ", before it is rounded";
  step.describe("What is read of the input is mapped in registers{}.", is_depthwise(setting) ? "" : split);
}

}  // namespace stitch::kernels

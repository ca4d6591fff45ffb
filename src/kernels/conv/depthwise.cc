// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/depthwise.h"

namespace stitch::kernels {

void add_depthwise_work(const ConvolutionProblem& problem, Work& work) {
  constexpr int kThreads = 256;
  work.flops = 2.0 * static_cast<double>(problem.outputs()) * static_cast<double>(problem.depth());
  work.peak_share = 0.25;
  // A thread has one output, and more to do to find its window than in it: issue slots, of two FLOPs each.
  constexpr double kOfPlace = 80;
  work.padded_flops = work.flops + 2 * kOfPlace * work.peak_share * static_cast<double>(problem.outputs());
  work.blocks = problem.outputs() / kThreads + 1;
  work.blocks_per_multiprocessor = 6;
  work.bandwidth_share = 0.8;
}

double depthwise_reads(const ConvolutionProblem& problem) {
  constexpr double kRowsOfThread = 4;  // or eight, or one where outputs are few
  const WindowNumbers& window = problem.window;
  const size_t y = window.axes() - 2;
  const auto number = [](int64_t value) { return static_cast<double>(value); };
  const double rows = (kRowsOfThread - 1) * number(window.stride[y]) + number(window.kernel[y]);
  double reads = number(window.kernel[y + 1]) / number(window.stride[y + 1]);
  reads *= rows / (kRowsOfThread * number(window.stride[y]));
  return y > 0 ? reads * number(window.kernel[0]) / number(window.stride[0]) : reads;
}

void describe_depthwise(StepBuilder& step) {
  step.describe(
      "Access: neighbouring threads along a row of the output, each with one output or some below each other; taps "
      "unrolled.");
  step.describe("Bound: memory; every channel has its own few weights.");
}

}  // namespace stitch::kernels

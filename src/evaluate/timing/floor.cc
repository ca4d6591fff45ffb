// SPDX-License-Identifier: Apache-2.0
#include "evaluate/timing/floor.h"

#include <fmt/format.h>

#include <algorithm>

namespace stitch::evaluate {
namespace {

constexpr double kMicrosecondsPerSecond = 1e6;
// Fewer multiplications than the plain sums: two levels of Strassen's algorithm (8/7 each) for matrix products; for
// convolutions Winograd's F(6x6, 3x3), 5.06 times fewer, and as much again for what an FFT does for large kernels.
constexpr double kMatmulSavings = 64.0 / 49;
constexpr double kConvolutionSavings = 16;

// The fastest pipe on which an answer of this mode can come about at all.
double optimistic_flops(const Datasheet& device, MathMode math) {
  switch (math) {
    case MathMode::kFp32:
      // A 16-bit operand carries 11 significant bits at most, an fp32 one 24: at least two 16-bit products for each.
      return std::max({device.fp32_flops, device.tf32_flops, device.half_flops / 2});
    case MathMode::kKernelBench:  // accepts what TF32 makes
    case MathMode::kTf32:         // has the 11 significant bits of fp16, which may then do it
    case MathMode::kReduced:
      return std::max({device.fp32_flops, device.tf32_flops, device.half_flops});
  }
  return device.half_flops;
}

}  // namespace

const std::vector<Datasheet>& datasheets() {
  constexpr double kGiga = 1e9;
  constexpr double kTera = 1e12;
  static const std::vector<Datasheet> sheets = {
#define STITCH_DATASHEET(name, bandwidth, fp32, tf32, half) \
  Datasheet{name, (bandwidth)*kGiga, (fp32)*kTera, (tf32)*kTera, (half)*kTera},
#include "evaluate/timing/datasheet.def"
#undef STITCH_DATASHEET
  };
  return sheets;
}

std::optional<Datasheet> datasheet_of(std::string_view device_name) {
  for (const Datasheet& sheet : datasheets()) {
    if (device_name.find(sheet.name) != std::string_view::npos) {
      return sheet;
    }
  }
  return std::nullopt;
}

Floor physical_floor(const CompulsoryWork& work, const Datasheet& device, MathMode math) {
  const double written = std::max(0.0, work.write_bytes - static_cast<double>(work.l2_bytes));
  const double flops = work.matmul_flops / kMatmulSavings + work.convolution_flops / kConvolutionSavings;
  Floor floor;
  floor.memory_us = (work.read_bytes + written) / device.bytes_per_second * kMicrosecondsPerSecond;
  floor.compute_us = flops / optimistic_flops(device, math) * kMicrosecondsPerSecond;
  return floor;
}

std::optional<Finding> below_floor(double time_us, const Floor& floor, const Datasheet& device) {
  if (time_us >= floor.us()) {
    return std::nullopt;
  }
  const char* what = floor.memory_us >= floor.compute_us ? "to move the bytes that it must" : "for the arithmetic";
  return Finding{Stage::kTiming, VerdictKind::kInvalidTime,
                 fmt::format("a call took {:.4g} us; at its datasheet's peak, the {} needs {:.4g} us {}", time_us,
                             device.name, floor.us(), what)};
}

}  // namespace stitch::evaluate

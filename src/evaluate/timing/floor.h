// SPDX-License-Identifier: Apache-2.0
// The physical floor: no program is faster than the bytes that must move and the arithmetic that must be done allow at
// the device's datasheet peaks. A time below it is no fast program but a wrong clock, or work that was not done.
// Every constant errs on the side of the program: measured ceilings are lower, and are nobody's proof of cheating.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "artifact/report/finding.h"
#include "artifact/task/math_mode.h"

namespace stitch::evaluate {

struct Datasheet {
  std::string name;
  double bytes_per_second = 0;
  double fp32_flops = 0;
  double tf32_flops = 0;
  double half_flops = 0;  // 16-bit operands
};

const std::vector<Datasheet>& datasheets();
// The device that CUDA calls `device_name`; nothing where no line of the table knows it: then there is no floor.
std::optional<Datasheet> datasheet_of(std::string_view device_name);

// What no implementation can do without; never what the reference happens to do.
struct CompulsoryWork {
  double read_bytes = 0;    // inputs of which every element counts for some output
  double write_bytes = 0;   // outputs and new states
  double matmul_flops = 0;  // of matrix products, as plain sums of products
  double convolution_flops = 0;
  uint64_t l2_bytes = 0;  // results may still be in the cache when the call has ended
};

struct Floor {
  double memory_us = 0;
  double compute_us = 0;
  double us() const { return memory_us > compute_us ? memory_us : compute_us; }
};

Floor physical_floor(const CompulsoryWork& work, const Datasheet& device, MathMode math);

// invalid_time with its sentence, or nothing. Accepts what is at or above the floor; NaN is below it.
std::optional<Finding> below_floor(double time_us, const Floor& floor, const Datasheet& device);

}  // namespace stitch::evaluate

// SPDX-License-Identifier: Apache-2.0
// What CUPTI and nsys saw of a process, in one form, and what it says of one call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/values/measurement.h"

namespace stitch::profile {

enum class RecordKind { kKernel, kCopy, kFill, kWait, kCall };  // kCall: a function of CUDA, on the host

struct Record {
  RecordKind kind = RecordKind::kKernel;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  uint64_t correlation = 0;  // of the host's function that began it
  std::string name{};        // a kernel's, a function's, a copy's kind
  uint64_t bytes = 0;        // of a copy or a fill
  LaunchShape shape{};       // of a kernel
};

// How stitchcuda-replay marks the calls that it makes: copies on the device of sizes that nothing else has. A call
// alone comes behind one of `mark_bytes`, which empties the L2 cache; a row of `calls` calls that are not waited for
// lies between two of `row_bytes`.
struct ReplayMarks {
  uint64_t mark_bytes = 0;
  uint64_t row_bytes = 0;
  int calls = 0;
};

// Kernels: the launches of a call alone in order, each a kernel of its own, with the median of their times over all
// calls alone. System: of one call of the row. kFileInvalid where marks are missing or calls alone have not the same
// kernels, in order.
Result<Measurement> measurement_of(std::vector<Record> records, const ReplayMarks& marks, RungKind rung);

}  // namespace stitch::profile

// SPDX-License-Identifier: Apache-2.0
// The rungs of the profiling ladder: where the figures of a profile come from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"

namespace stitch::profile {

// The best first: counters of the hardware, then its clock, then what was counted, then what is only read or modelled.
enum class RungKind { kNcu, kCupti, kNsys, kExecuted, kSass, kRoofline };

const char* to_string(RungKind kind);  // "ncu", "cupti", "nsys", "executed", "sass", "roofline"
// kUsage for another word.
Result<RungKind> rung_from_string(std::string_view name);
const std::vector<RungKind>& all_rungs();  // the best first

// Whether it takes times from a GPU's clock; the others model them.
bool is_measured(RungKind kind);

}  // namespace stitch::profile

// SPDX-License-Identifier: Apache-2.0
// Judges all tiles of one floating-point output by the accept rule, in pieces on several threads: outputs of a hundred
// million elements are common.
#pragma once

#include <vector>

#include "verify/compare/compare_output.h"
#include "verify/compare/float_rule.h"
#include "verify/compare/nearness.h"
#include "verify/compare/one_way_errors.h"
#include "verify/compare/output_statistics.h"
#include "verify/compare/small_numbers.h"
#include "verify/compare/tiling.h"

namespace stitch::verify {

// What every piece reads. The objects referred to must outlive judge_tiles().
struct Comparison {
  const OutputReference& reference;
  const HostTensor& got;
  const Tiling& tiling;
  MathMode mode;
  const SmallOutputErrors& errors;
  DataType type;
  Asked asked = Asked::kReport;
  const std::vector<int64_t>* tiles = nullptr;  // these alone, in rising order; null: all
};

struct TileVerdicts {
  // The rules a mode accepts by: always the budget of the reference's runs; in mode kernelbench also that of its TF32
  // runs, for what is near the baseline.
  FloatRule main;
  FloatRule tf32;
  Nearness nearness;
  OutputStatistics statistics;
  SmallNumbers small;
  OneWayErrors one_way;
};

// The output must have at least one tile. The result does not depend on the number of threads.
TileVerdicts judge_tiles(const Comparison& whole);

}  // namespace stitch::verify

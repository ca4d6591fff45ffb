// SPDX-License-Identifier: Apache-2.0
// A program against a baseline: their blocks take turns as A B B A, so that a drift of clocks or heat that is even over
// four blocks meets both alike; the speedup is the median over such fours.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "evaluate/timing/statistics.h"

namespace stitch::evaluate {

enum class Turn { kCandidate, kBaseline };

// `fours` times A B B A.
std::vector<Turn> abba_order(int fours);

struct Speedup {
  double median = 0;
  double low = 0;  // what a reward may use: the pessimistic end of the 95 % interval
  double high = 0;
  std::string refusal;  // empty, or why nothing may be said
};

// Both in the order in which their blocks ran: two of each belong to one four.
Speedup compare_abba(std::span<const double> candidate_us, std::span<const double> baseline_us);

}  // namespace stitch::evaluate

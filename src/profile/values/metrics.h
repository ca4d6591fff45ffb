// SPDX-License-Identifier: Apache-2.0
// The figures that ncu is asked for (metrics.def).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stitch::profile {

enum class Better { kLower, kHigher, kNeither };

struct Metric {
  std::string id;    // ours: "dram_read"
  std::string unit;  // that values of ours have: "%", "byte", "ns"
  Better better = Better::kNeither;
  bool is_told = true;             // one of the 24; false: asked for to check and to decide with
  std::vector<std::string> names;  // ncu's, the first one that the chip has counts
};

const std::vector<Metric>& all_metrics();
// Null for a name that belongs to none.
const Metric* metric_of(std::string_view ncu_name);

// What to ask ncu for on a chip whose metrics are `known`, by their names up to the first dot: of each metric the first
// name that it has. With nothing known, every first name. What is set at the launch is on no chip's list and always
// asked for.
std::vector<std::string> names_to_ask(const std::vector<std::string>& known);

}  // namespace stitch::profile

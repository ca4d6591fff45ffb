// SPDX-License-Identifier: Apache-2.0
// Figures as tables for a terminal.
#pragma once

#include <string>
#include <vector>

#include "bench/figures/figures.h"

namespace stitch::bench {

// Rows under each other, two spaces between columns.
std::string in_columns(const std::vector<std::vector<std::string>>& rows);

// A table for what is right, one for each baseline that was timed, one for what is modelled, and a line for each task
// that is in no mean.
std::string describe(const Figures& figures);

}  // namespace stitch::bench

// SPDX-License-Identifier: Apache-2.0
// What a stranger may have overlooked in a loss: targets that it leaves out.
#pragma once

#include <string>

#include "ir/graph/graph.h"

namespace stitch::driver {

// "nll_loss at model.py:9 leaves out targets of -100 (ignore_index), and some draws hold them". Empty where the graph
// has no such loss.
std::string ignored_targets_hint(const ir::Graph& graph);

}  // namespace stitch::driver

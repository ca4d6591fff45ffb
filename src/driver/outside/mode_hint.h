// SPDX-License-Identifier: Apache-2.0
// What a stranger may not know of the program that was judged: the mode of its module, where operators depend on it.
#pragma once

#include <string>

#include "ir/graph/graph.h"

namespace stitch::driver {

// "the program is judged in train mode, as its file leaves its module (...): batch_norm at model.py:9 normalises by the
// batch's own statistics". Empty where no operator of the graph tells the mode. `asked`: the mode asked for, "as-is"
// for none.
std::string mode_hint(const ir::Graph& graph, const std::string& asked);

}  // namespace stitch::driver
